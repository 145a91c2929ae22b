"""The parts of the browser view: the door (who may connect), the stage (3-D), the panel (figures and buttons)."""
