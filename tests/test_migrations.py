"""A new site applies one squashed migration per app; it must give the same tables as the migrations it replaces."""

from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState


def graph_and_state(squashed: bool) -> tuple[MigrationGraph, ProjectState]:
    loader = MigrationLoader(None, replace_migrations=squashed)
    return loader.graph, loader.project_state()


def test_squashed_migrations_equal_those_they_replace() -> None:
    new, after_new = graph_and_state(squashed=True)
    old, after_old = graph_and_state(squashed=False)
    replaced = {name for app in ("scoring", "leaderboard", "humaneval") for name in old.nodes if name[0] == app}
    assert len([name for name in replaced if name in new.nodes]) < len(replaced) / 4, "a new site runs the old ones"
    for before, after, graph in ((after_old, after_new, new), (after_new, after_old, old)):
        found = MigrationAutodetector(before, after).changes(graph)
        assert {app: [step.describe() for each in of for step in each.operations] for app, of in found.items()} == {}
