"""Vectors in clusters, and a provider that needs no model."""

import numpy as np

import txtfp_np as tx


class Letters:
    """Counts of letters, one text at a time."""

    model_id, dimension = "letters", 26

    def __init__(self):
        self.asked = []

    def embed(self, text):
        self.asked.append(text)
        vector = [text.lower().count(chr(97 + number)) for number in range(26)]
        return tx.Embedding(vector, self.model_id)


def clustered(n, dim, seed=0):
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(max(1, n // 5), dim))
    vectors = middles[rng.integers(len(middles), size=n)] + rng.normal(size=(n, dim)) * rng.uniform(0, 0.6, (n, 1))
    return vectors.astype(np.float32)
