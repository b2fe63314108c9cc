"""A stored index before a change and after it, for tests of what happens to its files meanwhile."""

import json

from index_kinds import check_answers

N, MORE = 500, 150


def files(folder):
    """Everything but the lock, which is empty."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "lock"}


def named(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    return {entry["file"] for segment in manifest["segments"] for entry in segment["arrays"].values()}


class Case:
    """An index that was saved, the change that is to follow, and naive indexes of before and after it."""

    def __init__(self, kind, folder):
        self.kind, self.folder = kind, folder
        self.items = kind.items(N + MORE)
        self.before, self.after = kind.naive(), kind.naive()
        for naive in (self.before, self.after):
            naive.put(self.items[:N], 0)
        self.after.put(self.items[N:], N)
        if kind.removes:
            self.after.drop(7)
        index = kind.new()
        for first in range(0, N, 125):  # several saves, so that there are several segments to merge
            kind.insert(index, self.items[first : first + 125], first)
            index.save(folder)
        kind.ask(index, self.items[:100])  # compiles, before processes are made of this one

    def opened(self):
        return self.kind.cls.open(self.folder)

    def change(self, index):
        self.kind.insert(index, self.items[N:], N)
        if self.kind.removes:
            assert self.kind.remove(index, [7]) == 1

    def changed(self):
        index = self.opened()
        self.change(index)
        return index

    def check(self, index, naive):
        probes = self.items[:40] + self.items[N : N + 40] + self.kind.items(40, seed=5)
        check_answers(self.kind, index, naive, probes)
        assert len(index) == len(naive)

    def check_files(self, naive):
        """What is there is whole; and the next change can be saved, and clears away what was left behind."""
        index = self.opened()
        index.verify()
        self.check(index, naive)
        if naive is self.before:
            self.change(index)
        index.save(self.folder)
        index.compact()
        assert files(self.folder).keys() == named(self.folder) | {"manifest.json"}
        again = self.opened()
        again.verify()
        self.check(again, self.after)
