"""
Synthesize clips: games of Durak as video, each with its true record beside it.

    games               deal the cards and play them by any rule set; faults: make and mend them   -> Story
    plain_players       the plain game of the shipped recording                                    -> Story
    stage               table and camera: where seats, bout, talon and heap are, in millimetres and pixels
    director            Story -> Actions, as people do it (habits): card_handling, sweeping, gestures
    choreography        Story -> Actions, plainly
    motion, hand_paths  how hands and cards move; moving_things: what else does; camera_and_light: what happens to both
    ground_truth        when a camera could be certain of each step, and where everything is in every frame
    arms                hands and sleeves, modelled as a relief and shaded
    table_tops          table tops and what lies beyond them; table_things: what lies on them
    painter             one moment -> one picture
    video               all moments -> mp4, the record, and with ``--tracks`` every card's corners in every frame
    recipes             all that decides a clip, by hand or by lot; lists: many clips by one command

``python -m datasets.clips demo`` makes the recording that ships with the program.
"""
