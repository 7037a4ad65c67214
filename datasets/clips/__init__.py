"""
Clips: games of Durak as video, made from nothing, each with its truth as a record beside it.

    games         deal the cards and play them by any rule set; mischief makes faults and mends them   -> Story
    players       the plain game of the shipped recording                                              -> Story
    stage         table and camera: where seats, bout, talon and heap are, in millimetres and pixels
    director      Story -> Actions, as people do it (habits): handling of cards, gestures besides; choreography: plainly
    motion, ways  how hands and cards move; extras: what else does; room: what happens to camera and light
    truth         when a camera could be certain of each step, and where everything is in every frame
    arms          hands and sleeves, modelled as a relief and shaded
    surfaces      table tops and what lies beyond them; things: what lies on them
    painter       one moment -> one picture
    film          all moments -> mp4, the record, and with ``--tracks`` every card's corners in every frame
    recipes       all that decides a clip, by hand or by lot; lists: many clips by one command

``python -m datasets.clips demo`` makes the recording that ships with the program.
"""
