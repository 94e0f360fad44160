"""Activities outdoors: gardening, harvest, camping, lawn care."""

SCRIPTS = """
# gardening / potting a seedling
herb = basil | tomato-plant | mint
pot = clay-pot | planter
GET {pot} from shed-shelf
PUT {pot} on garden-table
GET hand-trowel from bucket
scoop gravel from sack into {pot} with hand-trowel
scoop compost from bag into {pot} with hand-trowel
dig hole in {pot} with hand-trowel
PUT hand-trowel in bucket
GET {herb} from seed-tray
plant {herb} in {pot}
press! soil in {pot}
GET watering-can from garden-table
pour water from watering-can onto {herb}
PUT watering-can on garden-table
? GET marker from pocket
? write name on plant-tag with marker
? put marker in pocket
GET plant-tag from garden-table
stick plant-tag in {pot}
GET! {pot} from garden-table
carry {pot} to greenhouse
put {pot} on windowsill

# gardening / weeding a flower bed
tool = garden-hoe | garden-fork
cart = wheelbarrow | bucket
open shed
GET {tool} from shed
GET {cart} from shed
PUT {cart} beside flower-bed
dig! flower-bed with {tool}
PUT {tool} on path
pull dandelion from flower-bed
GET dandelion from flower-bed
throw dandelion into {cart}
GET hand-shears from shed
prune rose-bush with hand-shears
return hand-shears to shed
GET garden-rake from shed
rake! flower-bed with garden-rake
return garden-rake to shed
GET! mulch-bag from shed
tip mulch from mulch-bag onto flower-bed
put mulch-bag in {cart}
close shed

# gardening / sowing a vegetable bed
seed = pea-seed | bean-seed | beet-seed
mark = string-line | row-stick
GET! garden-rake from tool-rack
rake vegetable-bed with garden-rake
hang garden-rake on tool-rack
GET {mark} from basket
stick {mark} in vegetable-bed
GET dibber from basket
dig furrow in vegetable-bed with dibber
PUT dibber in basket
GET seed-packet from basket
sprinkle {seed} from seed-packet into furrow
put seed-packet in basket
cover! furrow
GET! garden-hose from reel
aim garden-hose at vegetable-bed
return garden-hose to reel
GET garden-net from tool-rack
spread garden-net over vegetable-bed
lay garden-net on vegetable-bed
GET stone from path
put stone on garden-net

# harvest / picking apples
fruit = apple | pear
box = crate-box | basket
GET! ladder from barn
put ladder against tree
GET {box} from barn
PUT {box} beside tree
GET fruit-picker from barn
pull branch with fruit-picker
PUT fruit-picker on grass
collect {fruit} from branch
wipe {fruit}
put {fruit} in {box}
collect rotten-fruit from ground
throw rotten-fruit into compost-heap
GET! {box} from tree
carry {box} to barn
put {box} on scales
check scales
GET pencil from pocket
write weight on list with pencil
put pencil in pocket

# harvest / digging potatoes
veg = potato | carrot | beet
tool = digging-fork | spade
GET! {tool} from barn
dig soil-ridge with {tool}
put {tool} on path
pull-out {veg} from soil-ridge
shake {veg}
put {veg} in bucket
GET bucket from path
rinse bucket under tap
PUT bucket on bench
GET scrub-brush from bench
GET {veg} from bucket
scrub {veg} with scrub-brush
put {veg} in sack
PUT scrub-brush on bench
GET twine from pocket
tie! sack with twine
put twine in pocket
lift! sack from bench
carry sack to cellar
put sack in cellar

# camping / pitching a tent
tool = mallet | stone
light = lantern | headlamp
open backpack
pull-out! tent-bag from backpack
put tent-bag on ground
GET! groundsheet from tent-bag
spread groundsheet on grass
lay groundsheet on grass
GET tent-pole from tent-bag
insert tent-pole into tent-sleeve
lift-up! tent
GET {tool} from ground
GET tent-peg from tent-bag
hammer tent-peg into ground with {tool}
release tent-peg
PUT {tool} on ground
tie! guy-rope around tent-peg
unzip tent-door
GET sleeping-bag from backpack
unfold! sleeping-bag
put sleeping-bag in tent
GET {light} from backpack
hang {light} on tent-pole

# camping / lighting a campfire
food = sausage | fish
fire = match | fire-steel
GET stone from riverbank
put stone around fire-pit
GET hand-axe from log
cut branch with hand-axe
PUT hand-axe on log
GET! firewood from pile
put firewood in fire-pit
GET {fire} from match-box
rub {fire} against match-box
throw {fire} into fire-pit
GET grill from rock
put grill over fire-pit
GET {food} from cool-box
put {food} on grill
GET barbecue-tongs from cool-box
turn {food} on grill with barbecue-tongs
PUT barbecue-tongs on rock
GET bucket from riverbank
tip water from bucket onto fire-pit
put bucket on rock

# camping / loading a canoe
bag = dry-bag | food-barrel
GET! canoe from car-roof
lay canoe on riverbank
GET paddle from car
put paddle in canoe
GET {bag} from car
seal! {bag}
load {bag} into canoe
GET rope from canoe
tie! {bag} with rope
put rope in canoe
GET life-vest from car
put life-vest on body
adjust strap
push! canoe into river
pull-out paddle from canoe
push riverbank with paddle
put paddle in canoe

# lawn care / mowing the lawn
mower = mower
open shed
push! {mower} onto lawn
GET fuel-can from shed
open fuel-cap
pour petrol from fuel-can into fuel-tank
close fuel-cap
return fuel-can to shed
pull starter-cord
push! {mower} across lawn
detach! grass-box from {mower}
tip clippings from grass-box onto compost-heap
attach grass-box to {mower}
GET leaf-rake from shed
rake! path with leaf-rake
return leaf-rake to shed
GET edge-shears from shed
trim! lawn-edge with edge-shears
return edge-shears to shed
GET cloth from shed
wipe {mower} with cloth
return cloth to shed
close shed

# lawn care / trimming a hedge
tool = hedge-trimmer | garden-shears
GET! step-ladder from garage
put step-ladder beside hedge
GET work-gloves from pocket
put work-gloves on fingers
GET! {tool} from garage
trim hedge with {tool}
PUT {tool} on path
GET tarp from garage
spread! tarp under hedge
put tarp on lawn
collect! cuttings from hedge
drop cuttings on tarp
GET push-broom from garage
sweep! path with push-broom
put push-broom in garage
GET oil-can from bench
oil blade with oil-can
PUT oil-can on bench
GET! {tool} from path
put {tool} in garage
"""
