"""Speed, measured side by side with what a Python user would take instead: ``python -m benchmarks``."""
