"""Publishing: putting a scored submission on a board under its name or anonymously, and taking it off."""
