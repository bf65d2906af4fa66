from django.db import migrations, models


class Migration(migrations.Migration):
    """Documents get a format: those that are there have the format of version 0.6.0. They stay for its processes, which
    may still run; new ones are written beside them on the first access."""

    dependencies = [("leaderboard", "0033_quota_of_the_sender")]

    operations = [
        migrations.AddField(
            model_name="boarddocument",
            name="format",
            field=models.PositiveSmallIntegerField(default=5, help_text="See leaderboard.board.document.FORMAT."),
            preserve_default=False,
        ),
        migrations.AlterModelOptions(name="boarddocument", options={"ordering": ["split", "setting", "format"]}),
        migrations.RemoveConstraint(model_name="boarddocument", name="one_document_per_board"),
        migrations.AddConstraint(
            model_name="boarddocument",
            constraint=models.UniqueConstraint(
                fields=("split", "setting", "format"), name="one_document_per_board_and_format"
            ),
        ),
        migrations.AlterField(
            model_name="boarddocument",
            name="content",
            field=models.BinaryField(help_text="JSON, gzip-compressed; see leaderboard.board.document."),
        ),
    ]
