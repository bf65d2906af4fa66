{% autoescape off %}import json


def text_of(body):
    if "choices" in body:  # /v1/chat/completions
        return body["choices"][0]["message"]["content"] or ""
    messages = [item for item in body["output"] if item["type"] == "message"]  # /v1/responses
    return "".join(part.get("text", "") for message in messages for part in message["content"])


answers = {}
with open("batch_output.jsonl", encoding="utf-8") as output:
    for line in output:
        result = json.loads(line)
        if result["response"] and result["response"]["status_code"] == 200:
            answers[result["custom_id"]] = text_of(result["response"]["body"])

with open("generations.jsonl", "w", encoding="utf-8") as file:
    for question_id, answer in answers.items():
        print(json.dumps({"id": question_id, "answer": answer}), file=file){% endautoescape %}
