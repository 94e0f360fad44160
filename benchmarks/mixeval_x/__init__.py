"""MixEval-X: questions about pictures, clips and sounds, plans of actions, and pictures made from words."""
