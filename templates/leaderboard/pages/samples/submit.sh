{% autoescape off %}# Check the file first. It is not stored, and you need no account.
curl --fail-with-body "{{ validate_url }}" \
  --form split={{ split }} --form {{ setting }}=@{{ setting }}.jsonl

# Submit. The key makes it safe to repeat the request after a lost response.
curl --fail-with-body "{{ submissions_url }}" \
  --header "Authorization: Token $MANYHOP_TOKEN" \
  --header "Idempotency-Key: my-system-1" \
  --form split={{ split }} --form {{ setting }}=@{{ setting }}.jsonl \
  --form name="My system" --form authors="A. Author, B. Author" \
  --form type=PROMPT --form context_size=128000

# Follow the progress, with the id from the response.
curl --fail-with-body "{{ submissions_url }}$ID/" --header "Authorization: Token $MANYHOP_TOKEN"{% endautoescape %}
