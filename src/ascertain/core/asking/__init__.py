"""A question and its answer: the request, the plan, the passages, the judgements, the answer."""
