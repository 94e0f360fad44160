"""Pictures, clips and sounds: what prompts show to models, and what models make."""
