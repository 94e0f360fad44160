"""Activities of upkeep: cleaning, car care, pet care, first aid, moving house."""

SCRIPTS = """
# cleaning / mopping a floor
floor = kitchen-floor | hallway-floor
soap = soap-bottle | vinegar-bottle
GET! carpet from {floor}
hang carpet on balcony-rail
GET! broom from closet
sweep {floor} with broom
return broom to closet
GET bucket from closet
fill bucket at tap
PUT bucket on {floor}
GET {soap} from shelf
squirt cleaner from {soap} into bucket
PUT {soap} on shelf
GET! mop-stick from closet
dip mop-stick in bucket
mop {floor} with mop-stick
? wring mop-stick over bucket
? mop doorstep with mop-stick
return mop-stick to closet
GET! carpet from balcony-rail
lay carpet on {floor}

# cleaning / washing windows
pane = window | skylight
scraper = squeegee | scraper
GET step-ladder from closet
PUT step-ladder under {pane}
GET spray-bottle from bucket
squirt cleaner from spray-bottle onto {pane}
PUT spray-bottle in bucket
GET sponge from bucket
wipe {pane} with sponge
PUT sponge in bucket
GET {scraper} from bucket
dry {pane} with {scraper}
hang {scraper} on hook
GET cloth from hook
polish frame with cloth
dust windowsill with cloth
hang cloth on hook
open {pane}
GET step-ladder from {pane}
return step-ladder to closet

# cleaning / tidying a living room
thing, thing2 = cushion | magazine | toy | blanket
cleaner = feather-duster | cloth
GET {thing} from floor
put {thing} on sofa
GET {thing2} from floor
put {thing2} in basket
GET {cleaner} from closet
dust bookshelf with {cleaner}
dust picture-frame with {cleaner}
return {cleaner} to closet
pull vacuum-cord from closet
turn-on vacuum-cleaner
GET! hose from vacuum-cleaner
vacuum rug with hose
attach hose to vacuum-cleaner
turn-off vacuum-cleaner
GET watering-can from windowsill
pour water from watering-can onto fern
PUT watering-can on windowsill
straighten! curtain

# cleaning / scrubbing a bathroom
basin = washbasin | bathtub
GET rubber-gloves from cabinet-hook
put rubber-gloves on fingers
GET spray-bottle from shelf
squirt cleaner from spray-bottle into {basin}
PUT spray-bottle on shelf
GET scrub-brush from bucket
scrub {basin} with scrub-brush
scrub tiles with scrub-brush
PUT scrub-brush in bucket
turn-on shower
GET shower-head from holder
aim shower-head at tiles
hang shower-head on holder
turn-off shower
GET towel from rail
dry tap with towel
hang towel on rail
GET waste-bag from bin
tie! waste-bag
carry waste-bag to hallway
put-down waste-bag in hallway

# car care / washing a car
part, part2 = bonnet | door | roof | bumper
cloth = sponge | wash-mitt
GET bucket from garage-shelf
fill bucket at tap
PUT bucket on driveway
turn-on water-tap
GET! hose from reel
aim hose at car
return hose to reel
turn-off water-tap
GET {cloth} from bucket
wash {part} with {cloth}
wash {part2} with {cloth}
PUT {cloth} in bucket
GET leather from garage-shelf
dry {part} with leather
PUT leather on garage-shelf
GET wax-tin from garage-shelf
GET polishing-cloth from garage-shelf
dip polishing-cloth in wax-tin
polish {part2} with polishing-cloth
PUT wax-tin on driveway
PUT polishing-cloth in bucket

# car care / changing a wheel
tool = wheel-wrench | torque-wrench
open boot
GET! spare-wheel from boot
lay spare-wheel on ground
GET {tool} from boot
loosen wheel-nut with {tool}
PUT {tool} on ground
GET jack from boot
put jack under car
push! jack-handle
remove! flat-wheel from axle
lay flat-wheel on grass
GET! spare-wheel from ground
mount spare-wheel on axle
GET {tool} from ground
tighten wheel-nut with {tool}
return {tool} to boot
GET jack from car
return jack to boot
close boot

# car care / checking oil and washer fluid
fluid = washer-fluid | coolant
open bonnet
pull-out dipstick from engine
GET rag from pocket
wipe dipstick with rag
insert dipstick into engine
put rag in pocket
GET oil-can from garage-shelf
open oil-cap
pour engine-oil from oil-can into engine
close oil-cap
PUT oil-can on garage-shelf
GET bottle from garage-shelf
open reservoir-cap
pour {fluid} from bottle into reservoir
close reservoir-cap
PUT bottle on garage-shelf
close bonnet
GET pressure-gauge from door-pocket
check tyre with pressure-gauge
return pressure-gauge to door-pocket

# pet care / feeding and brushing
pet = dog | cat
food = kibble | meat
GET bowl from floor
rinse bowl under tap
PUT bowl on counter
open cupboard
GET food-tin from cupboard
GET spoon from dish-rack
scoop {food} from food-tin into bowl with spoon
PUT spoon in sink
return food-tin to cupboard
close cupboard
GET bowl from counter
put bowl on floor
? GET water-bottle from counter
? pour water from water-bottle into drinking-dish
? PUT water-bottle on counter
GET pet-brush from hook
brush {pet} with pet-brush
hang pet-brush on hook
pet {pet}
GET leash from hook
attach leash to collar

# pet care / cleaning an aquarium
tool = scraper | algae-sponge
food = fish-flakes | shrimp
turn-off filter-pump
lift cover-glass from aquarium
lay cover-glass on table
GET {tool} from bucket
scrape aquarium-wall with {tool}
PUT {tool} in bucket
GET! siphon-hose from hook
vacuum gravel with siphon-hose
hang siphon-hose on hook
GET jug from table
pour water from jug into aquarium
PUT jug on table
GET fish-tin from shelf
sprinkle {food} from fish-tin into aquarium
PUT fish-tin on shelf
GET cover-glass from table
fit cover-glass on aquarium
turn-on filter-pump

# pet care / looking after a rabbit
bed = straw | hay
veg = carrot | lettuce-leaf
open hutch
lift! rabbit from hutch
put rabbit in run
GET hand-shovel from bucket
scoop old-bedding from hutch into bucket with hand-shovel
PUT hand-shovel in bucket
GET scrub-brush from bucket
scrub hutch-floor with scrub-brush
PUT scrub-brush in bucket
GET! {bed} from bale
spread {bed} in hutch
put {bed} in hutch
GET {veg} from basket
put {veg} in feeding-dish
GET water-bottle from shelf
fill water-bottle at tap
hang water-bottle on hutch-door
lift! rabbit from run
put rabbit in hutch
close hutch

# first aid / dressing a cut
cover = plaster | gauze-pad
liquid = iodine | saline
open first-aid-box
GET tissue from first-aid-box
pat finger with tissue
throw tissue into bin
GET bottle from first-aid-box
GET cotton-ball from first-aid-box
pour {liquid} from bottle onto cotton-ball
PUT bottle on table
clean finger with cotton-ball
throw cotton-ball into bin
GET {cover} from first-aid-box
stick {cover} on finger
GET bandage from first-aid-box
wrap wrist with bandage
GET scissors from first-aid-box
cut bandage with scissors
PUT scissors on table
return bandage to first-aid-box
close first-aid-box

# first aid / cooling a sprained ankle
cold = ice-pack | frozen-peas
rest = pillow | cushion
GET {rest} from sofa
put {rest} under ankle
walk to kitchen
open freezer-door
GET {cold} from freezer-drawer
close freezer-door
GET towel from rail
wrap {cold} with towel
hang towel on chair
carry {cold} to sofa
put {cold} on ankle
GET bandage-roll from kit-bag
wrap! ankle with bandage-roll
GET clip-pin from kit-bag
attach clip-pin to bandage
PUT bandage-roll in kit-bag
GET pill-box from kit-bag
GET water-glass from table
put pill-box on table
put water-glass on table

# packing / packing a suitcase
item, item2 = sweater | towel | jacket | dress
small = toothbrush | hair-comb
open wardrobe
GET! suitcase from wardrobe
lay suitcase on bed
unzip suitcase
GET {item} from wardrobe
fold! {item}
pack {item} into suitcase
GET {item2} from wardrobe
roll! {item2}
pack {item2} into suitcase
close wardrobe
GET {small} from bathroom-shelf
GET wash-bag from bathroom-shelf
put {small} in wash-bag
pack wash-bag into suitcase
GET passport from desk
put passport in side-pocket
push! suitcase-lid
zip suitcase
lift! suitcase from bed
put suitcase at door

# packing / packing a parcel
gift = vase | clock | teapot
fill = paper-shreds | foam
GET box from stack
unfold! box
PUT box on table
GET tape-roll from drawer-unit
tape box with tape-roll
PUT tape-roll on table
GET {gift} from shelf
GET bubble-wrap from shelf
wrap {gift} with bubble-wrap
PUT bubble-wrap on table
put {gift} in box
GET! {fill} from bag
put {fill} in box
GET tape-roll from table
seal box with tape-roll
PUT tape-roll on table
GET marker from pen-pot
write address on box with marker
PUT marker in pen-pot
GET postage-stamp from wallet
stick postage-stamp on box

# packing / packing a school bag
book, book2 = notebook | atlas | textbook | workbook
snack = apple | sandwich
open backpack
GET {book} from desk
put {book} in backpack
GET {book2} from bookshelf
put {book2} in backpack
GET pen from desk
GET pencil-case from desk
put pen in pencil-case
zip pencil-case
put pencil-case in backpack
GET {snack} from fruit-bowl
GET lunch-box from counter
put {snack} in lunch-box
put lunch-box in backpack
GET drinking-bottle from counter
fill drinking-bottle at tap
put drinking-bottle in side-net
close backpack
lift backpack from chair
hang backpack on hook
"""
