"""Activities of the kitchen: cooking, baking, table setting, making drinks, dish washing."""

SCRIPTS = """
# cooking / making vegetable soup
veg, veg2 = carrot | onion | potato | leek
pot = saucepan | pot
spoon = ladle | wooden-spoon
GET {veg} from basket
rinse {veg} under tap
PUT {veg} on chopping-board
GET {veg2} from basket
GET peeler from drawer-unit
peel {veg2} with peeler
PUT {veg2} on chopping-board
PUT peeler in sink
GET knife from knife-block
chop {veg} on chopping-board with knife
chop {veg2} on chopping-board with knife
PUT knife in sink
GET! chopping-board from counter
tip vegetables from chopping-board into {pot}
put chopping-board in sink
turn-on stove
GET {spoon} from hook
stir soup in {pot} with {spoon}
? GET salt-shaker from shelf
? sprinkle salt from salt-shaker into {pot}
? PUT salt-shaker on shelf
hang {spoon} on hook
turn-off stove

# cooking / frying an egg
fat = butter | lard
pan = frying-pan | skillet
herb = parsley | chives
GET {pan} from hook
PUT {pan} on stove
turn-on burner
open fridge
GET egg-box from fridge
PUT egg-box on counter
close fridge
GET knife from knife-block
scoop {fat} from jar into {pan} with knife
PUT knife on counter
GET egg from egg-box
crack egg against {pan}
drop egg in {pan}
GET spatula from utensil-pot
flip fried-egg in {pan} with spatula
turn-off burner
lift-up fried-egg with spatula
PUT spatula in {pan}
GET scissors from utensil-pot
cut {herb} over {pan} with scissors
PUT scissors in utensil-pot

# cooking / making a salad
veg, veg2 = tomato | cucumber | radish | bell-pepper
bowl = salad-bowl | dish
dressing = vinegar | olive-oil
GET {bowl} from shelf
PUT {bowl} on counter
GET lettuce from colander
tip lettuce into {bowl}
put lettuce in {bowl}
GET knife from rack
GET {veg} from crate-tray
cut {veg} with knife
put {veg} in {bowl}
GET {veg2} from crate-tray
slice {veg2} with knife
put {veg2} in {bowl}
PUT knife on rack
GET bottle from shelf
pour {dressing} from bottle into {bowl}
PUT bottle on shelf
GET salad-tongs from jar
mix salad in {bowl} with salad-tongs
PUT salad-tongs in {bowl}

# cooking / boiling noodles
pot = saucepan | pot
food = noodles | rice
GET {pot} from cupboard-shelf
fill {pot} at tap
PUT {pot} on stove
turn-on stove
open cupboard
GET packet from cupboard
close cupboard
GET scissors from drawer-unit
cut packet with scissors
PUT scissors on counter
pour {food} from packet into {pot}
throw packet into bin
GET fork from drawer-unit
stir {food} in {pot} with fork
PUT fork on counter
turn-off stove
GET! {pot} from stove
pour {food} from {pot} into sieve
put {pot} in sink

# baking / baking bread
bowl = mixing-bowl | basin
seed = sesame | oats
GET {bowl} from shelf
PUT {bowl} on scales
GET flour-bag from shelf
pour flour from flour-bag into {bowl}
PUT flour-bag on counter
GET jug from counter
pour water from jug into {bowl}
PUT jug on counter
GET wooden-spoon from utensil-pot
mix dough in {bowl} with wooden-spoon
PUT wooden-spoon in sink
lift! dough from {bowl}
put dough on counter
knead! dough
shape! dough
? GET jar from shelf
? sprinkle {seed} from jar onto dough
? PUT jar on shelf
open oven
GET baking-tray from counter
put baking-tray in oven
close oven
turn-on oven

# baking / making biscuits
tool = rolling-pin
cutter = star-cutter | round-cutter
topping = sugar | cinnamon
open fridge
GET dough from fridge
PUT dough on floured-board
close fridge
GET! {tool} from hook
roll dough with {tool}
hang {tool} on hook
GET {cutter} from tin
press dough with {cutter}
PUT {cutter} in tin
GET palette-knife from utensil-pot
lift-up biscuits with palette-knife
PUT palette-knife on counter
GET shaker from shelf
sprinkle {topping} from shaker onto biscuits
PUT shaker on shelf
GET oven-gloves from hook
open oven
hang oven-gloves on hook
GET! baking-tray from counter
put baking-tray in oven
close oven

# baking / icing a cake
icing = chocolate-icing | cream
fruit = strawberry | cherry
GET! cake from cooling-rack
put cake on cake-stand
GET bowl from fridge-shelf
PUT bowl on counter
GET whisk-tool from drawer-unit
whisk {icing} in bowl with whisk-tool
PUT whisk-tool in sink
GET spatula from drawer-unit
scoop {icing} from bowl with spatula
spread {icing} on cake with spatula
PUT spatula in sink
GET knife from rack
GET {fruit} from punnet
cut {fruit} with knife
PUT knife in sink
PUT {fruit} on cake
GET candle from packet
stick candle in cake

# table setting / laying the table for dinner
cloth = tablecloth
dish = soup-bowl | dinner-plate
glass = water-glass | wine-glass
light = candle | lantern
open chest
GET! {cloth} from chest
spread {cloth} on table
lay {cloth} on table
close chest
open cupboard
GET {dish} from cupboard
PUT {dish} on table
GET {glass} from cupboard
PUT {glass} beside {dish}
close cupboard
open drawer
GET fork from drawer
GET knife from drawer
PUT fork beside {dish}
PUT knife on napkin
close drawer
? GET {light} from windowsill
? PUT {light} on table
GET water-jug from counter
pour water from water-jug into {glass}
PUT water-jug on table

# table setting / clearing the table
dish = plate | soup-bowl
left = crumbs | leaves
GET tray from shelf
PUT tray on table
GET {dish} from table
put {dish} on tray
GET glass from table
put glass on tray
GET spoon from table
put spoon on tray
GET! tray from table
carry tray to kitchen
put tray on counter
walk to table
GET cloth from chair-back
wipe table with cloth
sweep {left} from table with cloth
hang cloth on chair-back
fold! tablecloth
GET! tablecloth from table
put tablecloth in linen-basket

# table setting / preparing a picnic
food, food2 = sandwich | apple | cake-slice | sausage
drink = lemonade | iced-tea
spread! blanket on grass
open hamper
GET {food} from hamper
PUT {food} on blanket
GET {food2} from hamper
PUT {food2} on plate
GET cup from hamper
GET flask from hamper
pour {drink} from flask into cup
PUT flask on blanket
PUT cup on blanket
GET bread-knife from hamper
cut {food} on blanket with bread-knife
PUT bread-knife in hamper
GET parasol from grass
stick parasol in ground
open parasol
close hamper

# drinks / making tea
cup = mug | teacup
sweet = honey | sugar
GET kettle from counter
fill kettle at tap
PUT kettle on hob
turn-on hob
open cupboard
GET {cup} from cupboard
PUT {cup} on counter
GET tea-box from cupboard
GET tea-bag from tea-box
put tea-bag in {cup}
return tea-box to cupboard
close cupboard
turn-off hob
GET kettle from hob
pour water from kettle into {cup}
PUT kettle on hob
GET teaspoon from cutlery-tray
scoop {sweet} from jar into {cup} with teaspoon
stir tea in {cup} with teaspoon
PUT teaspoon in sink

# drinks / brewing coffee
cup = mug | espresso-cup
milk = milk | cream
open bean-jar
GET scoop-spoon from bean-jar
scoop beans from bean-jar into grinder with scoop-spoon
PUT scoop-spoon on counter
close bean-jar
turn-on grinder
turn-off grinder
GET filter-basket from coffee-machine
fill filter-basket under grinder
insert filter-basket into coffee-machine
GET {cup} from shelf
PUT {cup} under coffee-machine
press brew-button
GET carton from fridge-door
pour {milk} from carton into {cup}
PUT carton in fridge-door
GET cloth from rail
wipe coffee-machine with cloth
hang cloth on rail

# drinks / mixing a smoothie
fruit, fruit2 = banana | mango | peach | kiwi
liquid = milk | orange-juice
GET knife from rack
GET {fruit} from fruit-bowl
peel {fruit} with knife
put {fruit} in blender
GET {fruit2} from fruit-bowl
slice {fruit2} with knife
put {fruit2} in blender
PUT knife in sink
GET bottle from fridge-door
pour {liquid} from bottle into blender
PUT bottle on counter
GET blender-lid from counter
fit blender-lid on blender
turn-on blender
turn-off blender
remove blender-lid from blender
PUT blender-lid in sink
GET! blender from counter
pour smoothie from blender into tall-glass
put blender in sink

# dish washing / washing up by hand
thing, thing2 = plate | mug | bowl | ladle
turn-on tap
GET soap-bottle from windowsill
squirt soap from soap-bottle into sink
PUT soap-bottle on windowsill
turn-off tap
GET sponge from soap-dish
GET {thing} from counter
scrub {thing} with sponge
put {thing} on drying-rack
GET {thing2} from counter
scrub {thing2} with sponge
put {thing2} on drying-rack
PUT sponge in soap-dish
pull plug from sink
GET towel from hook
GET {thing} from drying-rack
dry {thing} with towel
put {thing} in cupboard-shelf
hang towel on hook

# dish washing / running the dishwasher
thing, thing2 = plate | glass | saucer | casserole
left = bone | crust
GET fork from counter
GET {thing} from counter
scrape {left} from {thing} with fork
PUT fork in sink
open dishwasher
load {thing} into dishwasher
GET {thing2} from counter
rinse {thing2} under tap
load {thing2} into dishwasher
GET fork from sink
load fork into dishwasher
GET detergent-box from shelf
GET tablet from detergent-box
insert tablet into dishwasher
PUT detergent-box on shelf
close dishwasher
press start-button
GET cloth from rail
wipe counter with cloth
hang cloth on rail
"""
