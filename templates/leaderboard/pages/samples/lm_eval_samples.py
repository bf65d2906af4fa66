{% autoescape off %}import json

answers = {}
with open("samples.jsonl", encoding="utf-8") as log:
    for line in log:
        sample = json.loads(line)
        answers[sample["doc"]["id"]] = sample["resps"][0][0]

with open("generations.jsonl", "w", encoding="utf-8") as file:
    for question_id, answer in answers.items():
        print(json.dumps({"id": question_id, "answer": answer}), file=file){% endautoescape %}
