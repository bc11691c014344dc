"""Asks the service as OpenAI's client does, whichever version runs this; prints what it got as JSON. Given: address, key, question."""

import base64
import json
import sys

import openai

address, key, question = sys.argv[1:]
client = openai.OpenAI(base_url=address, api_key=key, max_retries=0, timeout=120)
messages = [{"role": "user", "content": question}]
got = {"version": openai.__version__, "models": [model.id for model in client.models.list()]}

done = client.chat.completions.create(model="ascertain", messages=messages)
got["completion"] = done.choices[0].message.content
with client.chat.completions.create(model="ascertain", messages=messages, stream=True) as parts:
    got["streamed"] = "".join(part.choices[0].delta.content or "" for part in parts if part.choices)

response = client.responses.create(model="ascertain", input=question, store=False)
got["response"] = response.output_text
got["annotations"] = [each.type for part in response.output[0].content for each in part.annotations]
with client.responses.create(model="ascertain", input=question, store=False, stream=True) as events:
    got["events"] = [event.type for event in events]

made = client.embeddings.create(model="ascertain", input=[question, "another text"], encoding_format="base64")
got["dimensions"] = [len(base64.b64decode(each.embedding)) // 4 for each in made.data]

got["errors"] = {}
for name, call in {
    "unknown model": lambda: client.chat.completions.create(model="none", messages=messages),
    "no messages": lambda: client.chat.completions.create(model="ascertain", messages=[]),
    "wrong key": client.with_options(api_key="wrong").models.list,
}.items():
    try:
        call()
    except openai.APIStatusError as error:
        got["errors"][name] = [type(error).__name__, error.status_code, error.message]
sys.stdout.write(json.dumps(got))
