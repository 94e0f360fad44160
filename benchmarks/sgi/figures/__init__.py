"""The pictures of the project's own Experimental Reasoning data, and the questions about them."""
