"""Activities with cloth: laundry, sewing, knitting and crafts."""

SCRIPTS = """
# laundry / washing clothes
item, item2 = shirt | towel | jeans | blouse
soap = washing-powder | detergent
GET! laundry-basket from bathroom
put laundry-basket on floor
open washing-machine
GET {item} from laundry-basket
load {item} into washing-machine
GET {item2} from laundry-basket
check {item2}
load {item2} into washing-machine
close washing-machine
GET measuring-cup from shelf
GET soap-box from shelf
pour {soap} from soap-box into measuring-cup
PUT soap-box on shelf
pour {soap} from measuring-cup into soap-tray
PUT measuring-cup on shelf
push soap-tray
turn program-dial
press start-button
turn-on washing-machine

# laundry / hanging out the wash
item, item2 = shirt | sheet | trousers | skirt
carry = basket | tub
GET! {carry} from bathroom
carry {carry} to garden
put {carry} on grass
GET cloth from {carry}
wipe clothes-line with cloth
put cloth in {carry}
GET {item} from {carry}
shake! {item}
hang {item} on clothes-line
GET peg from peg-bag
attach peg to {item}
GET {item2} from {carry}
straighten! {item2}
hang {item2} on clothes-line
GET clip from peg-bag
attach clip to {item2}
GET! {carry} from grass
carry {carry} to bathroom
put {carry} on shelf

# laundry / ironing a shirt
item = shirt | blouse | dress
spray = spray-bottle
unfold! ironing-board
GET plug from floor
insert plug into wall-outlet
turn-on steam-iron
GET {item} from laundry-basket
lay {item} on ironing-board
GET {spray} from windowsill
squirt water from {spray} onto {item}
PUT {spray} on windowsill
GET steam-iron from iron-rest
smooth collar with steam-iron
iron {item} with steam-iron
? iron sleeve with steam-iron
PUT steam-iron on iron-rest
turn-off steam-iron
GET coat-hanger from rail
GET {item} from ironing-board
put {item} on coat-hanger
hang coat-hanger on rail

# sewing / sewing on a button
cloth = coat | shirt
holder = pin-cushion
open sewing-box
GET thread-spool from sewing-box
GET scissors from sewing-box
cut cotton-thread with scissors
return scissors to sewing-box
return thread-spool to sewing-box
GET needle from {holder}
GET cotton-thread from table
string cotton-thread through needle
release cotton-thread
GET button from button-tin
sew button on {cloth} with needle
release button
stitch {cloth} with needle
PUT needle in {holder}
GET scissors from sewing-box
trim thread-end with scissors
return scissors to sewing-box
close sewing-box
button-up! {cloth}

# sewing / making a cushion cover
fabric = cotton-cloth | velvet | linen
mark = chalk | fabric-pen
GET! {fabric} from shelf
spread {fabric} on table
lay {fabric} on table
GET tape-measure from hook
measure {fabric} with tape-measure
hang tape-measure on hook
GET {mark} from tin
mark {fabric} with {mark}
PUT {mark} in tin
GET scissors from tin
cut {fabric} with scissors
PUT scissors on table
fold! {fabric}
GET pin from pin-cushion
insert pin into {fabric}
turn-on sewing-machine
push! {fabric} under sewing-machine
press foot-pedal
turn-off sewing-machine
GET! filling from bag
put filling in cushion-cover

# sewing / shortening trousers
item = trousers | skirt
tool = seam-ripper | scissors
GET {item} from chair
lay {item} on table
GET {tool} from work-basket
cut old-seam with {tool}
PUT {tool} on table
fold! hem on table
GET pin from pin-cushion
insert pin into hem
GET steam-iron from iron-rest
press hem with steam-iron
PUT steam-iron on iron-rest
GET needle from pin-cushion
hold hem
stitch hem with needle
release hem
PUT needle in pin-cushion
remove pin from hem
return pin to pin-cushion
GET {item} from table
hang {item} on coat-hanger

# crafts / making a greeting card
shape = paper-heart | paper-star
deco = ribbon | glitter-strip
GET card-sheet from drawer-unit
fold! card-sheet
PUT card-sheet on desk
GET scissors from pen-pot
GET colour-paper from stack
cut colour-paper with scissors
PUT colour-paper on desk
PUT scissors in pen-pot
GET glue-stick from pen-pot
GET {shape} from desk
glue {shape} with glue-stick
PUT glue-stick on desk
stick {shape} on card-sheet
GET {deco} from box
stick {deco} on card-sheet
GET fountain-pen from pen-pot
write greeting in card-sheet with fountain-pen
PUT fountain-pen in pen-pot
GET card-sheet from desk
insert card-sheet into envelope

# crafts / stringing a necklace
bead, bead2 = glass-bead | wooden-bead | pearl | shell
open bead-case
GET nylon-thread from bead-case
measure neck with nylon-thread
GET scissors from table
cut nylon-thread with scissors
PUT scissors on table
tie! nylon-thread
GET clasp from bead-case
put clasp on tray
GET {bead} from bead-case
string {bead} on nylon-thread
put {bead} on tray
GET {bead2} from bead-case
string {bead2} on nylon-thread
put {bead2} on tray
PUT nylon-thread on table
close bead-case
GET pliers from tool-pouch
squeeze clasp with pliers
PUT pliers in tool-pouch

# crafts / wrapping a present
gift = book | toy-train | scarf
deco = ribbon | bow
GET gift-paper from corner
spread! gift-paper on table
lay gift-paper on table
GET {gift} from bag
put {gift} on gift-paper
GET scissors from desk-tray
cut gift-paper with scissors
PUT scissors in desk-tray
fold! gift-paper over {gift}
GET tape-dispenser from desk-tray
tape gift-paper with tape-dispenser
PUT tape-dispenser in desk-tray
GET {deco} from bag
stick {deco} on gift-paper
GET pen from desk-tray
write name on gift-tag with pen
PUT pen in desk-tray
GET gift-tag from table
attach gift-tag to {deco}
"""
