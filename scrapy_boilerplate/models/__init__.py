"""Steps with learnt weights: numpy inference alone, weights that load without running anything."""
