"""Where pictures come from: decks, scenes, photographs, clips. Nothing here is installed with the program."""
