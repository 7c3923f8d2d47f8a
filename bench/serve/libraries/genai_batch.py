"""onnxruntime-genai behind the line protocol of library-contender.ts: genai_batch.py MODEL_FOLDER"""

import json
import sys
import time

import numpy as np
import onnxruntime_genai as og

model = og.Model(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    prompts, output_tokens = request["prompts"], request["outputTokens"]
    started = time.perf_counter()
    params = og.GeneratorParams(model)
    length = len(prompts[0]) + output_tokens
    params.set_search_options(
        max_length=length, min_length=length, batch_size=len(prompts), do_sample=True, temperature=1.0, top_k=0, top_p=1.0
    )
    generator = og.Generator(model, params)
    generator.append_tokens(np.array(prompts, dtype=np.int32))
    times = []
    while len(times) < output_tokens and not generator.is_done():
        generator.generate_next_token()
        times.append((time.perf_counter() - started) * 1000)
    del generator
    if len(times) != output_tokens:
        sys.exit(f"{len(times)} of {output_tokens} tokens")
    print(json.dumps({"tokenTimes": times}), flush=True)
