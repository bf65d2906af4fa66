"""The base of migrations that make many tables: they take a new site less time."""

from django.db import migrations


class NewTables(migrations.Migration):
    """Makes tables, complete with the fields that it adds to them.

    Its models are rendered once. Django renders each together with all models that are related to it: nearly all.
    """

    def apply(self, project_state, schema_editor, collect_sql=False):
        vars(project_state).pop("apps", None)  # or every change of the state would render models
        state = self.mutate_state(project_state, preserve=False)
        for operation in self.operations:
            if isinstance(operation, migrations.CreateModel):
                operation.database_forwards(self.app_label, schema_editor, state, state)
        return state
