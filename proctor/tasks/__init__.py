"""What a benchmark may import: tasks, samples, prompts, conversations, scores."""
