"""Tokens in, tokens out from Python, without a package: python3 examples/client.py [URL]"""
import json
import sys
import urllib.request

URL = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8000"


def post(path, body):
    headers = {"Content-Type": "application/json"}
    return urllib.request.urlopen(urllib.request.Request(URL + path, json.dumps(body).encode(), headers))


chat = {"messages": [{"role": "user", "content": "What is the capital of France?"}], "max_tokens": 32, "temperature": 0}
rendered = json.load(post("/v1/chat/completions/render", chat))
for line in post("/inference/v1/generate", {**rendered, "stream": True}):
    if line.startswith(b"data: {"):
        for choice in json.loads(line[6:])["choices"]:
            print(*choice["token_ids"], flush=True)
