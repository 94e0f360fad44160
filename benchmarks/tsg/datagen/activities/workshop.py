"""Activities of the workshop: repair, woodworking, assembly, painting, bicycle care, pottery."""

SCRIPTS = """
# repair / stopping a leak
toolbox = toolbox | cabinet
tool = wrench | pliers
pipe = pipe | valve
bucket = bucket | basin
washer = washer | gasket
GET {bucket} from shelf
PUT {bucket} on floor
open {toolbox}
GET {tool} from {toolbox}
loosen {pipe} with {tool}
PUT {tool} on floor
remove {washer} from {pipe}
drop {washer} in {bucket}
? GET cloth from {toolbox}
? wipe {pipe} with cloth
? PUT cloth on floor
GET seal-ring from {toolbox}
fit seal-ring on {pipe}
GET {tool} from floor
tighten {pipe} with {tool}
return {tool} to {toolbox}
close {toolbox}
turn-on tap
check {pipe}
turn-off tap

# repair / mending a chair
chair = chair | stool
tool = screwdriver | ratchet
part = leg | armrest
fixing = screw | bolt
turn! {chair} on workbench
GET {tool} from drawer-unit
loosen {fixing} with {tool}
PUT {tool} on workbench
detach! {part} from {chair}
lay {part} on workbench
GET sandpaper from shelf
sand {part} with sandpaper
PUT sandpaper on shelf
GET glue-bottle from shelf
squirt wood-glue from glue-bottle onto {part}
PUT glue-bottle on workbench
hold! {part}
attach {part} to {chair}
GET {tool} from workbench
tighten {fixing} with {tool}
PUT {tool} on workbench
lift! {chair} from workbench
put {chair} on floor

# repair / fixing a door hinge
tool = screwdriver | power-drill
oil = oil-can | grease-tube
open door
GET {tool} from toolbag
hold hinge
loosen screw with {tool}
release hinge
PUT {tool} on floor
GET {oil} from toolbag
oil hinge with {oil}
PUT {oil} on floor
GET cloth from toolbag
wipe hinge with cloth
PUT cloth on floor
GET {tool} from floor
tighten screw with {tool}
PUT {tool} in toolbag
close door
test door-handle

# woodworking / cutting a plank
wood = plank | beam
saw = hand-saw | jigsaw
tool = tape-measure | ruler
GET! {wood} from rack
lay {wood} on workbench
GET {tool} from tool-wall
measure {wood} with {tool}
hang {tool} on tool-wall
GET pencil from tin
mark {wood} with pencil
PUT pencil in tin
GET bar-clamp from tool-wall
attach bar-clamp to {wood}
GET {saw} from tool-wall
saw {wood} with {saw}
PUT {saw} on workbench
? GET hand-broom from hook
? sweep workbench with hand-broom
? hang hand-broom on hook
GET sandpaper from tin
sand {wood} with sandpaper
PUT sandpaper in tin
GET offcut from workbench
throw offcut into bin

# woodworking / putting up a coat rail
fixing = nail | hook-pin
mark = chalk | pencil
wall = wall | door-frame
GET spirit-level from shelf
GET {mark} from shelf
align spirit-level against {wall}
mark {wall} with {mark}
PUT spirit-level on ladder
PUT {mark} on ladder
GET claw-hammer from belt
GET {fixing} from pouch
hammer {fixing} into {wall} with claw-hammer
release {fixing}
? check {fixing}
hang claw-hammer on belt
GET! coat-rail from floor
mount coat-rail on {wall}
GET dustpan from corner
sweep floor with dustpan
PUT dustpan in corner

# woodworking / drilling a birdhouse
panel = side-panel | roof-panel
drill = power-drill | hand-drill
finish = varnish | wood-stain
GET {panel} from stack
GET sanding-block from jar
sand {panel} with sanding-block
PUT sanding-block in jar
PUT {panel} on workbench
GET {drill} from case
GET drill-bit from case
insert drill-bit into {drill}
drill {panel} with {drill}
PUT {drill} in case
GET dowel from jar
insert dowel into {panel}
GET mallet from hook
hammer dowel into {panel} with mallet
hang mallet on hook
GET paintbrush from jar
dip paintbrush in {finish}
brush {panel} with paintbrush
PUT paintbrush in jar

# assembly / building a bookcase
part, part2 = side-panel | shelf-board | back-panel | base-board
tool = allen-key | screwdriver
pin = dowel | cam-lock
GET scissors from floor
cut packing-strap with scissors
PUT scissors on floor
open carton
GET! {part} from carton
lay {part} on mat
GET {pin} from parts-bag
insert {pin} into {part}
GET! {part2} from carton
attach {part2} to {part}
GET {tool} from parts-bag
tighten cam-bolt with {tool}
PUT {tool} on mat
? straighten! {part2}
GET glue-bottle from parts-bag
squirt wood-glue from glue-bottle onto {part2}
PUT glue-bottle on mat
push! bookcase against wall
GET carton from floor
store carton in hallway

# assembly / putting a lamp together
pole = pole | stand-tube
tool = screwdriver | wrench
GET base-plate from box
PUT base-plate on table
GET {pole} from box
insert {pole} into base-plate
GET {tool} from box
tighten locking-nut with {tool}
PUT {tool} on table
GET cable-end from box
string cable-end through {pole}
release cable-end
GET light-bulb from packet
fit light-bulb into socket
GET lampshade from box
fit lampshade on {pole}
? adjust! lampshade
GET plug from floor
insert plug into wall-outlet
turn-on lamp
check light-bulb
turn-off lamp

# painting / painting a wall
wall = wall | ceiling
roller = roller | paintbrush
mix = paint-stick | spatula
GET dust-sheet from bag
spread! dust-sheet on floor
lay dust-sheet on floor
GET tape-roll from bag
tape edge-strip with tape-roll
PUT tape-roll in bag
GET {mix} from bag
stir wall-paint in can with {mix}
PUT {mix} on can-lid
GET can from floor
pour wall-paint from can into tray
PUT can on floor
GET {roller} from shelf
dip {roller} in tray
paint {wall} with {roller}
? dip {roller} in tray
? paint window-frame with {roller}
PUT {roller} on tray
GET cloth from bag
wipe switch with cloth
PUT cloth in bag

# painting / painting a picture
colour, colour2 = red-paint | blue-paint | yellow-paint | green-paint
thing, thing2 = sky | tree | house | river
GET canvas from cupboard-top
PUT canvas on easel
GET pencil from pen-pot
mark canvas with pencil
PUT pencil in pen-pot
GET jug from sink
pour water from jug into jar
PUT jug on table
GET fine-brush from pen-pot
dip fine-brush in {colour}
paint {thing} on canvas with fine-brush
rinse fine-brush in jar
dip fine-brush in {colour2}
paint {thing2} on canvas with fine-brush
PUT fine-brush in jar
GET hair-dryer from hook
dry canvas with hair-dryer
hang hair-dryer on hook
GET canvas from easel
hang canvas on wall

# bicycle care / mending a puncture
tool = wrench | spanner-key
inner = inner-tube
GET {tool} from tool-roll
loosen axle-nut with {tool}
PUT {tool} on bench
remove! wheel from bicycle
lay wheel on bench
GET tyre-lever from tool-roll
push tyre with tyre-lever
PUT tyre-lever on bench
pull-out {inner} from tyre
lay {inner} on bench
GET sandpaper from tool-roll
rub {inner} with sandpaper
PUT sandpaper on bench
GET glue-tube from tool-roll
squirt rubber-glue from glue-tube onto {inner}
PUT glue-tube on bench
GET rubber-patch from tool-roll
stick rubber-patch on {inner}
GET air-pump from wall-hook
inflate tyre with air-pump
hang air-pump on wall-hook

# bicycle care / looking after the chain
cloth = rag | cloth
brush = chain-brush | toothbrush
GET {brush} from bucket
scrub chain with {brush}
PUT {brush} in bucket
GET {cloth} from rail
wipe chain with {cloth}
hang {cloth} on rail
GET oil-bottle from shelf
hold pedal
squirt chain-oil from oil-bottle onto chain
turn pedal
release pedal
PUT oil-bottle on shelf
GET hex-key from shelf
adjust brake-lever with hex-key
PUT hex-key on shelf
? press bell
lift! bicycle from repair-stand
put bicycle against wall

# bicycle care / fitting lights and a basket
light = front-lamp | rear-lamp
part = basket | luggage-rack
GET {light} from packet
mount {light} on handlebar
GET screwdriver from tray
tighten lamp-screw with screwdriver
PUT screwdriver on tray
press lamp-button
GET! {part} from floor
mount {part} on bicycle
GET wrench from tray
hold {part}
tighten bracket-bolt with wrench
release {part}
PUT wrench on tray
GET air-pump from wall-hook
inflate tyre with air-pump
hang air-pump on wall-hook
GET helmet from wall-hook
PUT helmet in {part}

# pottery / making a bowl
pot = clay-bowl | clay-vase
GET clay-block from bag
PUT clay-block on board
GET wire-cutter from shelf
cut clay-block with wire-cutter
PUT wire-cutter on shelf
knead! clay-block on board
GET clay-block from board
PUT clay-block on potters-wheel
turn-on potters-wheel
GET sponge from basin
squeeze sponge over potters-wheel
PUT sponge in basin
shape! {pot} on potters-wheel
turn-off potters-wheel
GET trimming-tool from shelf
smooth {pot} with trimming-tool
PUT trimming-tool on shelf
lift! {pot} from potters-wheel
put {pot} on drying-board

# pottery / glazing and firing
pot = vase | plate | teapot
glaze = blue-glaze | white-glaze
GET whisk-stick from hook
stir {glaze} in pail with whisk-stick
hang whisk-stick on hook
GET {pot} from rack
GET sponge from basin
wipe {pot} with sponge
PUT sponge in basin
dip {pot} in pail
PUT {pot} on rack
GET fine-brush from jar
paint rim with fine-brush
PUT fine-brush in jar
open kiln
GET {pot} from rack
put {pot} in kiln
close kiln
turn-on kiln
walk to basin
"""
