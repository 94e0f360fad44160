"""Activities at a desk or on the move: office work, computer set-up, electronics, photography, shopping, grooming."""

SCRIPTS = """
# office work / filing papers
paper = invoice | contract
folder = folder | binder
GET {paper} from letter-tray
check {paper}
PUT {paper} on desk
GET hole-punch from shelf
punch {paper} with hole-punch
PUT hole-punch on shelf
GET stapler from shelf
staple {paper} with stapler
PUT stapler on desk
GET date-stamp from drawer-unit
stamp {paper} with date-stamp
PUT date-stamp on desk
open cabinet
GET {folder} from cabinet
PUT {folder} on desk
GET {paper} from desk
insert {paper} into {folder}
GET {folder} from desk
return {folder} to cabinet
close cabinet

# office work / posting a letter
seal = sticker | wax-seal
open drawer
GET writing-paper from drawer
PUT writing-paper on desk
GET fountain-pen from pen-pot
write letter on writing-paper with fountain-pen
PUT fountain-pen in pen-pot
fold! writing-paper
GET envelope from drawer
GET writing-paper from desk
insert writing-paper into envelope
GET {seal} from drawer
stick {seal} on envelope
close drawer
GET postage-stamp from wallet
stick postage-stamp on envelope
walk to post-box
throw envelope into post-box

# office work / printing a report
thing = report | leaflet
open laptop
press key
turn-on printer
open paper-tray
GET paper-stack from shelf
straighten! paper-stack
load paper-stack into paper-tray
close paper-tray
press print-button
GET {thing} from printer
GET stapler from desk
staple {thing} with stapler
PUT stapler on desk
GET marker from pen-pot
mark {thing} with marker
PUT marker in pen-pot
put {thing} in briefbag
turn-off printer
close laptop

# computer set-up / setting up a desk computer
device = keyboard | mouse
wire = video-lead | power-lead
open packing-box
GET! monitor from packing-box
put monitor on desk
GET {device} from packing-box
put {device} on desk
GET {wire} from packing-box
insert {wire} into monitor
GET usb-plug from desk
insert usb-plug into computer
adjust! monitor
close packing-box
GET screen-wipe from packet
clean monitor with screen-wipe
throw screen-wipe into bin
press power-button
GET headset from hook
put headset on head

# computer set-up / adding memory to a computer
part = memory-card | hard-disk
turn-off computer
pull power-plug from wall-outlet
GET screwdriver from kit
loosen case-screw with screwdriver
PUT screwdriver on desk
lift! side-cover from computer
lay side-cover on desk
GET air-can from kit
clean fan with air-can
PUT air-can in kit
GET {part} from foil-bag
insert {part} into slot
press! slot-latch
GET! side-cover from desk
mount side-cover on computer
GET screwdriver from desk
tighten case-screw with screwdriver
return screwdriver to kit
turn-on computer

# photography / taking a portrait
lens = zoom-lens | wide-lens
unfold! tripod
GET camera from camera-bag
GET {lens} from camera-bag
attach {lens} to camera
mount camera on tripod
GET lens-cloth from camera-bag
wipe {lens} with lens-cloth
PUT lens-cloth in camera-bag
GET! backdrop from corner
hang backdrop on stand
GET spotlight from corner
put spotlight beside stand
turn-on spotlight
adjust! spotlight
hold tripod
press shutter-button
release tripod
turn-off spotlight
GET memory-card from camera
insert memory-card into laptop

# photography / framing a print
print = photo | poster
GET! picture-frame from box
lay picture-frame on table
turn frame-clip
lift back-board from picture-frame
put back-board on table
GET glass-cloth from box
clean frame-glass with glass-cloth
PUT glass-cloth in box
GET {print} from envelope
lay {print} on picture-frame
GET cutter-knife from pen-pot
trim {print} with cutter-knife
PUT cutter-knife in pen-pot
GET back-board from table
fit back-board on picture-frame
GET claw-hammer from tool-pouch
GET nail from tool-pouch
hammer nail into wall with claw-hammer
release nail
put claw-hammer in tool-pouch
GET! picture-frame from table
hang picture-frame on nail

# grooming / shaving and tooth brushing
foam = shaving-foam | shaving-gel
turn-on tap
GET can from mirror-shelf
squirt {foam} from can into palm
PUT can on mirror-shelf
rub! face
GET razor from mug
smooth cheek with razor
rinse razor under tap
PUT razor in mug
GET towel from rail
dry face with towel
hang towel on rail
GET toothbrush from glass-holder
GET paste-tube from mirror-shelf
squirt paste from paste-tube onto toothbrush
PUT paste-tube on mirror-shelf
brush teeth with toothbrush
PUT toothbrush in glass-holder
turn-off tap

# grooming / cutting hair
tool = scissors | clippers
cover = cape | bath-towel
GET {cover} from hook
wrap customer with {cover}
put {cover} on shoulders
GET spray-bottle from trolley
squirt water from spray-bottle onto hair
PUT spray-bottle on trolley
GET hair-comb from trolley
comb hair with hair-comb
GET {tool} from trolley
cut fringe with {tool}
PUT {tool} on trolley
PUT hair-comb on trolley
turn-on hair-dryer
GET hair-dryer from holder
dry hair with hair-dryer
hang hair-dryer on holder
GET hand-mirror from trolley
check neckline with hand-mirror
PUT hand-mirror on trolley
GET! push-broom from corner
sweep floor with push-broom
put push-broom in corner

# shopping / putting away the shopping
food, food2 = yoghurt | cheese | butter | ham
dry = rice-bag | cereal-box
open front-door
GET! shopping-bag from car
carry shopping-bag to kitchen
put shopping-bag on counter
open fridge
GET {food} from shopping-bag
put {food} in fridge
GET {food2} from shopping-bag
put {food2} in fridge
close fridge
open cupboard
GET {dry} from shopping-bag
store {dry} in cupboard
close cupboard
GET melon from shopping-bag
rinse melon under tap
put melon in fruit-bowl
GET scissors from utensil-pot
GET milk-carton from shopping-bag
cut milk-carton with scissors
put scissors in utensil-pot
put milk-carton on shelf
fold! shopping-bag

# shopping / buying fruit at a stall
fruit, fruit2 = melon | pineapple | mango | pear
GET basket from stack
collect {fruit} from stall
put {fruit} in basket
collect {fruit2} from stall
check {fruit2}
put {fruit2} in basket
walk to till
put basket on till
unzip handbag
GET purse from handbag
GET coin from purse
lay coin on till
return purse to handbag
GET paper-bag from till
GET {fruit} from basket
put {fruit} in paper-bag
GET {fruit2} from basket
put {fruit2} in paper-bag
fold paper-bag
put paper-bag in handbag
zip handbag

# electronics / changing a phone battery
tool = screwdriver | pick
device = phone | tablet
turn-off {device}
GET {tool} from kit
loosen cover-screw with {tool}
PUT {tool} on mat
lift back-cover from {device}
lay back-cover on mat
GET tweezers from kit
lift-up connector with tweezers
PUT tweezers on mat
remove old-battery from {device}
PUT old-battery in tray
GET new-battery from packet
insert new-battery into {device}
press! connector
GET back-cover from mat
fit back-cover on {device}
GET {tool} from mat
tighten cover-screw with {tool}
PUT {tool} in kit
turn-on {device}

# electronics / soldering a wire
wire = wire | resistor
board = circuit-board
GET safety-glasses from hook
put safety-glasses on face
GET {board} from drawer-unit
clamp! {board} on workbench
attach {board} to vice
turn-on soldering-iron
GET {wire} from tin
insert {wire} into {board}
GET soldering-iron from stand
GET solder-wire from spool-holder
press {wire} with soldering-iron
PUT solder-wire on spool-holder
PUT soldering-iron on stand
turn-off soldering-iron
GET side-cutter from tin
trim {wire} with side-cutter
PUT side-cutter in tin
GET multimeter from shelf
test {board} with multimeter
PUT multimeter on shelf
"""
