"""The texts that scripts of participants' and graders' pages show, as they stand there: `static/js/texts.js`."""

from typing import Final

from django.utils.translation import gettext_noop

SCRIPT_TEXTS: Final = (
    gettext_noop("Saved as you type"),
    gettext_noop("Not saved yet…"),
    gettext_noop("No connection. This browser has stored your text and will send it automatically."),
    gettext_noop(
        "Not saved. If you have withdrawn, nothing more is saved. Otherwise open your study link again in this "
        "browser: your text is stored here and will then be sent."
    ),
    gettext_noop("Choose a version below"),
    gettext_noop("Saved {n} s ago"),
    gettext_noop("Saved {n} min ago"),
    gettext_noop("Saved {n} h ago"),
    gettext_noop("Saved {n} d ago"),
    gettext_noop("Saved."),
    gettext_noop(
        "{name}: {length} characters. Shorten it to at most {most} to save it. This browser has stored all of it."
    ),
    gettext_noop("Your search has {length} characters. Shorten it to at most {most}."),
    gettext_noop("(empty)"),
    gettext_noop("Another tab or device saved a different answer. Choose which version to use."),
    gettext_noop("The server did not receive your choice. Both versions are still stored. Try again in a moment."),
    gettext_noop("Cannot continue yet. {status}"),
    gettext_noop(
        "Question {numbers}: what you typed is stored in this browser, but the server has another version, or cannot "
        "save it. Open the question to see to it."
    ),
    gettext_noop(
        "Some of your text has not reached the server yet. This browser has stored it and will send it automatically."
    ),
    gettext_noop("Select some text of this answer first."),
    gettext_noop("Added to: {field}."),
    gettext_noop("{n} of {all}"),
    gettext_noop("Not found"),
    gettext_noop("Opened in a tab: {title}"),
    gettext_noop("This article is open in a tab."),
    gettext_noop("The tab was not opened. Try again in a moment."),
    gettext_noop("The tab was not closed. Try again in a moment."),
    gettext_noop("Closed: {title}"),
    gettext_noop("Your selection was not saved. Try again in a moment."),
    gettext_noop("Added to the articles you read."),
    gettext_noop("The article was not added. Try again in a moment."),
    gettext_noop("{percent} % of the page"),
    gettext_noop("Page not loaded"),
    gettext_noop("Try again"),
    gettext_noop(
        "The connection may be down. Your answer is not affected. Try again in a moment, or open your study link again."
    ),
    gettext_noop("The connection may be down. Try again in a moment."),
    gettext_noop("The connection may be down, or another grader has this answer now. Your ticks are not affected."),
    gettext_noop("Loading…"),
    gettext_noop(
        "The server cannot be reached, so this grade was not saved. It is still on this page; save it again in a "
        "moment."
    ),
    gettext_noop("The server cannot be reached, so the grade was not undone. Try again in a moment."),
    # Of the scripts of every page: site.js, theme.js.
    gettext_noop("Copied."),
    gettext_noop("The browser blocked copying."),
    gettext_noop("Colour theme: system. Switch to light."),
    gettext_noop("Colour theme: light. Switch to dark."),
    gettext_noop("Colour theme: dark. Switch to system."),
)
