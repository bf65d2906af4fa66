{% autoescape off %}import os
import time

import requests

SUBMISSIONS = "{{ submissions_url }}"
session = requests.Session()
session.headers["Authorization"] = "Token " + os.environ["MANYHOP_TOKEN"]

with open("{{ setting }}.jsonl", "rb") as answers:
    response = session.post(
        SUBMISSIONS,
        data={
            "split": "{{ split }}",
            "name": "My system",
            "authors": "A. Author, B. Author",
            "type": "PROMPT",
            "context_size": 128000,
        },
        files={"{{ setting }}": answers},
        headers={"Idempotency-Key": "my-system-1"},
    )
if response.status_code == 422:
    raise SystemExit(response.text)  # every problem, with its line
response.raise_for_status()

submission = response.json()
while not submission["finished"]:
    time.sleep(10)
    submission = session.get(SUBMISSIONS + submission["id"] + "/").json()

for file in submission["files"]:
    for run in file["runs"]:
        for score in run["scores"]:
            print(file["setting"], score["name"], score["value"])
        if not run["scores"]:
            print(file["setting"], run["metric"], run["state"], run["reason"]){% endautoescape %}
