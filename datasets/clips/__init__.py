"""
Clips: games of Durak as video, made from nothing, each with its truth as a record beside it.

    players       deal the cards and play them by the rules   -> Story (who lays, lifts, sweeps, draws what)
    stage         table and camera: where seats, bout, talon and heap are, in millimetres and pixels
    choreography  Story -> Actions: hands and cards with their places at every moment, and the truth's times
    arms          hands and sleeves, modelled as a relief and shaded
    surfaces      table tops and what else lies on them
    painter       one moment -> one picture
    film          all moments -> mp4, the record, and (while developing) every card's corners in every frame

``python -m datasets.clips demo`` makes the recording that ships with the program.
"""
