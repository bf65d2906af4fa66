{% autoescape off %}import csv
import json

with open("answers.csv", encoding="utf-8-sig", newline="") as table:
    answers = {row["id"]: row["answer"] for row in csv.DictReader(table)}

with open("generations.jsonl", "w", encoding="utf-8") as file:
    for question_id, answer in answers.items():
        print(json.dumps({"id": question_id, "answer": answer}), file=file){% endautoescape %}
