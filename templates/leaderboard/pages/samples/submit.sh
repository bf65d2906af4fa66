{% autoescape off %}# Check first: nothing is kept, and no account is needed.
curl --fail-with-body "{{ validate_url }}" \
  --form split={{ split }} --form {{ setting }}=@{{ setting }}.jsonl

# Submit. The key makes it safe to send the same again after a lost answer.
curl --fail-with-body "{{ submissions_url }}" \
  --header "Authorization: Token $MANYHOP_TOKEN" \
  --header "Idempotency-Key: my-system-1" \
  --form split={{ split }} --form {{ setting }}=@{{ setting }}.jsonl \
  --form name="My system" --form authors="A. Author, B. Author" \
  --form type=PROMPT --form context_size=128000

# Follow it, with the id from the answer.
curl --fail-with-body "{{ submissions_url }}$ID/" --header "Authorization: Token $MANYHOP_TOKEN"{% endautoescape %}
