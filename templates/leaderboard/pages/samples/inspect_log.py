{% autoescape off %}import json

with open("run.json", encoding="utf-8") as log:
    samples = json.load(log)["samples"]
answers = {sample["id"]: sample["output"]["completion"] for sample in samples if sample["epoch"] == 1}

with open("generations.jsonl", "w", encoding="utf-8") as file:
    for question_id, answer in answers.items():
        print(json.dumps({"id": question_id, "answer": answer}), file=file){% endautoescape %}
