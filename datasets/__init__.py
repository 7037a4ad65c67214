"""Make and read training pictures: decks, scenes, photographs, clips. Nothing here is installed with the program."""
