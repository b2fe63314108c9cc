"""``txtfp completion``: what a shell needs to complete commands, options and file names."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

EXAMPLES = """\
examples:
  eval "$(txtfp completion bash)"                                       # for this shell
  txtfp completion bash > ~/.local/share/bash-completion/completions/txtfp
  txtfp completion zsh > "${fpath[1]}/_txtfp"
  txtfp completion fish > ~/.config/fish/completions/txtfp.fish
"""

SHELLS = ("bash", "zsh", "fish")


class Command(NamedTuple):
    """One command: the words that lead to it, and what may follow."""

    words: tuple[str, ...]
    help: str
    subcommands: tuple[tuple[str, str], ...]
    options: tuple[argparse.Action, ...]
    positional: tuple[argparse.Action, ...]


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "completion", help="completion for a shell", description="Print completion for a shell.", epilog=EXAMPLES
    )
    parser.add_argument("shell", choices=SHELLS, help="bash, zsh or fish")
    return parser


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    from . import build_parser

    tree = list(walk(build_parser()))
    print({"bash": bash, "zsh": zsh, "fish": fish}[options.shell](tree), end="")
    return 0


def walk(parser: argparse.ArgumentParser, words: tuple[str, ...] = (), help: str = "") -> Iterator[Command]:
    """All commands of a parser, itself first."""
    actions = [action for action in parser._actions if action.help is not argparse.SUPPRESS]
    choosing = [action for action in actions if isinstance(action, argparse._SubParsersAction)]
    named: list[tuple[str, str]] = []
    for action in choosing:
        named += [(choice.dest, choice.help or "") for choice in action._choices_actions]
    yield Command(
        words,
        help,
        tuple(named),
        tuple(action for action in actions if action.option_strings),
        tuple(action for action in actions if not action.option_strings and action not in choosing),
    )
    helps = dict(named)
    for action in choosing:
        for name, child in action.choices.items():
            yield from walk(child, (*words, name), helps.get(name, ""))


def _takes_value(action: argparse.Action) -> bool:
    return action.nargs != 0


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(map(str, action.choices or ()))


def _about(action: argparse.Action) -> str:
    text = (action.help or "").replace("%(default)s", str(action.default))
    return " ".join(text.split())


# ── bash ────────────────────────────────────────────────────────────────────────────────────────────
def bash(tree: list[Command]) -> str:
    """A function for ``complete -F``: words are known by the command they stand in."""
    lines = [
        "# completion of txtfp for bash",
        "_txtfp() {",
        '    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" path="" word',
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        '        case "$path $word" in',
    ]
    children = [" ".join(command.words) for command in tree if command.words]
    lines += [
        f'            {_bash_word((" " + words) if " " not in words else words)}) path="{words}" ;;'
        for words in children
    ]
    lines += ["        esac", "    done", '    case "$path $previous" in']
    for command in tree:
        for action in command.options:
            if _takes_value(action):
                names = "|".join(_bash_word(f"{' '.join(command.words)} {name}") for name in action.option_strings)
                lines.append(f"        {names}) {_bash_value(action)} return ;;")
    lines += ["    esac", '    case "$path" in']
    for command in tree:
        names = " ".join(name for name, _ in command.subcommands)
        options = " ".join(name for action in command.options for name in action.option_strings)
        plain = " ".join(choice for action in command.positional for choice in _choices(action))
        files = "" if names or plain or not command.positional else ' COMPREPLY+=($(compgen -f -- "$current"))'
        lines += [
            f"        {_bash_word(' '.join(command.words))})",
            f'            if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "{options}" -- "$current"))',
            f'            else COMPREPLY=($(compgen -W "{names or plain}" -- "$current"));{files}',
            "            fi ;;",
        ]
    lines += ["    esac", "}", "complete -o filenames -F _txtfp txtfp", ""]
    return "\n".join(lines)


def _bash_word(text: str) -> str:
    return f'"{text}"'


def _bash_value(action: argparse.Action) -> str:
    choices = _choices(action)
    if choices:
        return f'COMPREPLY=($(compgen -W "{" ".join(choices)}" -- "$current"));'
    return 'COMPREPLY=($(compgen -f -- "$current"));'


# ── zsh ─────────────────────────────────────────────────────────────────────────────────────────────
def zsh(tree: list[Command]) -> str:
    """Functions for ``compdef``, one a command."""
    lines = ["#compdef txtfp", "# completion of txtfp for zsh", ""]
    for command in tree:
        name = "_".join(("_txtfp", *command.words))
        lines += [f"{name}() {{", "    local state line; typeset -A opt_args", "    _arguments -C \\"]
        lines += [f"        {_zsh_option(action)} \\" for action in command.options]
        if command.subcommands:
            lines += ["        '1: :->command' '*:: :->rest'", "    case $state in", "    command)"]
            pairs = " ".join(_quoted(f"{child}:{help}") for child, help in command.subcommands)
            lines += [
                f"        local -a commands; commands=({pairs})",
                "        _describe command commands ;;",
                "    rest)",
            ]
            lines += ["        case $line[1] in"]
            lines += [f"        {child}) {name}_{child} ;;" for child, _ in command.subcommands]
            lines += ["        esac ;;", "    esac"]
        else:
            lines += ["        " + " ".join(_zsh_positional(action) for action in command.positional)]
        lines += ["}", ""]
    return "\n".join(
        [*lines, 'if [[ "$funcstack[1]" == _txtfp ]]; then _txtfp "$@"; else compdef _txtfp txtfp; fi', ""]
    )


def _zsh_option(action: argparse.Action) -> str:
    about = _about(action).replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    names = action.option_strings
    value = ""
    if _takes_value(action):
        choices = " ".join(_choices(action))
        value = f":{action.dest}:({choices})" if choices else f":{action.dest}:_files"
    exclude = f"({' '.join(names)})" if len(names) > 1 else ""
    listed = names[0] if len(names) == 1 else None
    if listed is not None:
        return _quoted(f"{listed}[{about}]{value}")
    return f"{_quoted(exclude)}{{{','.join(names)}}}{_quoted(f'[{about}]{value}')}"


def _zsh_positional(action: argparse.Action) -> str:
    choices = _choices(action)
    many = "*" if action.nargs in ("+", "*") else ""
    return _quoted(f"{many}:{action.dest}:({' '.join(choices)})" if choices else f"{many}:{action.dest}:_files")


# ── fish ────────────────────────────────────────────────────────────────────────────────────────────
def fish(tree: list[Command]) -> str:
    """Lines of ``complete``, each with the command in which it counts."""
    lines = ["# completion of txtfp for fish"]
    for command in tree:
        when = _fish_condition(command)
        if command.subcommands:
            lines.append(f"complete -c txtfp -f -n {_quoted(when)}")
        lines += [
            f"complete -c txtfp -f -n {_quoted(when)} -a {child} -d {_quoted(help)}"
            for child, help in command.subcommands
        ]
        for action in command.positional:
            if _choices(action):
                lines.append(f"complete -c txtfp -f -n {_quoted(when)} -a {_quoted(' '.join(_choices(action)))}")
        for action in command.options:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in action.option_strings
            )
            value = ""
            if _takes_value(action):
                choices = " ".join(_choices(action))
                value = f" -x -a {_quoted(choices)}" if choices else " -r"
            lines.append(f"complete -c txtfp -n {_quoted(when)} {names}{value} -d {_quoted(_about(action))}")
    return "\n".join([*lines, ""])


def _fish_condition(command: Command) -> str:
    names = " ".join(name for name, _ in command.subcommands)
    if not command.words:
        return "__fish_use_subcommand"
    seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.words)
    return f"{seen}; and not __fish_seen_subcommand_from {names}" if names else seen


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "'\\''") + "'"
