"""What is done with runs that have ended: compared, merged, scored again, handed on."""
