"""Reading files in processes of their own, which can be ended and take nothing else with them."""
