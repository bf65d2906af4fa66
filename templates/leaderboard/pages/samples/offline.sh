{% autoescape off %}python -m scoring --references {{ split }}.json --generations {{ setting }}.jsonl --per-question --out scores.json{% endautoescape %}
