"""``manyhop completion``: the script that completes commands and options in a shell."""

from __future__ import annotations

import argparse
from importlib import import_module

from manyhop.cli import COMMANDS, DONE
from scoring.cli import COMMANDS as LOCAL

SCRIPT = """_manyhop() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    case "$word" in -*) ;; *) [ "$COMP_CWORD" -gt 1 ] && COMPREPLY+=($(compgen -f -- "${{word#*=}}")) ;; esac
}}
complete -o filenames -F _manyhop manyhop"""
FOR_ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


def parser(command: str) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog=f"manyhop {command}",
        description="Write the script that completes commands, options and file names.",
        epilog="Examples:\n  manyhop completion bash > ~/.local/share/bash-completion/completions/manyhop\n"
        "  echo 'eval \"$(manyhop completion zsh)\"' >> ~/.zshrc",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("shell", choices=("bash", "zsh"))
    return made


def run(command: str, options: argparse.Namespace) -> int:
    del command
    cases = []
    for name, (module, _) in COMMANDS.items():
        actions = import_module(f"manyhop.cli.{module}").parser(name)._actions
        words = [option for action in actions for option in action.option_strings if option.startswith("--")]
        cases.append(f'            {name}) words="{" ".join(words)}" ;;')
    script = SCRIPT.format(commands=" ".join([*LOCAL, *COMMANDS, "site"]), cases="\n".join(cases))
    print(FOR_ZSH * (options.shell == "zsh") + script)
    return DONE
