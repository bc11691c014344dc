"""Train the reader: one encoder, heads for spans, answerability, relevance and the support of claims.

    python training/train_reader.py --pairs pairs.npz --encoder model.safetensors --out FOLDER [--threads 2] [--device cpu]

Goes on where the last checkpoint of FOLDER ended. ``--begin CHECKPOINT`` starts from the weights of an earlier run, for a second
stage over other pairs. On processors with bf16 (avx512_bf16) about 3,000 tokens a second and core; set
MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ high, or the system takes every buffer back after each step.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from encoder import NOT_SAID, REFUTED, Reader, load_encoder
from pairs import SUPPORT, UNKNOWN

PADDING = 16
"""Lengths are multiples of it: the kernels are compiled anew for every shape."""

SORTED_TOGETHER = 50
"""Batches whose pairs are sorted by length together: less padding, and still at random."""

HELD_BACK = 0.01
"""Share of pairs that only the losses of the log are measured on."""

WARM_UP = 0.03
GRADIENT_NORM = 1.0
DECAY = 0.01


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run was started with; a checkpoint only goes on with the same."""

    tokens_a_batch: int
    rate: float
    head_rate: float
    passes: float
    seed: int


class Pairs:
    """Pairs of ``training/pairs.py`` and batches of them."""

    def __init__(self, path: Path, seed: int) -> None:
        self.columns: dict[str, Any] = dict(np.load(path))
        self._begins = np.concatenate([[0], np.cumsum(self.columns["length"], dtype=np.int64)])
        order = np.random.default_rng(seed).permutation(len(self.columns["length"]))
        held = int(len(order) * HELD_BACK)
        self.held, self.trained = order[:held], order[held:]

    def plan_batches(self, pairs: Any, tokens: int, seed: int) -> list[Any]:
        """The pairs in batches of about ``tokens`` tokens, claims apart from questions, in random order."""
        chance = np.random.default_rng(seed)
        batches: list[Any] = []
        is_claim = self.columns["support"][pairs] != UNKNOWN
        for task in (pairs[is_claim], pairs[~is_claim]):
            shuffled = chance.permutation(task)
            together = SORTED_TOGETHER * max(1, tokens // 100)
            for begin in range(0, len(shuffled), together):
                part = shuffled[begin : begin + together]
                part = part[np.argsort(self.columns["length"][part], kind="stable")]
                batch: list[int] = []
                for pair in part:
                    if batch and (len(batch) + 1) * self._padded(pair) > tokens:
                        batches.append(np.array(batch))
                        batch = []
                    batch.append(pair)
                batches.append(np.array(batch))
        chance.shuffle(batches)
        return batches

    def _padded(self, pair: int) -> int:
        return -(-int(self.columns["length"][pair]) // PADDING) * PADDING

    def collate(self, batch: Any) -> dict[str, Tensor]:
        """Tensors of a batch."""
        width = max(self._padded(pair) for pair in batch)
        ids = np.zeros((len(batch), width), np.int64)
        types, mask = np.zeros_like(ids), np.zeros_like(ids)
        for row, pair in enumerate(batch):
            length, offset = int(self.columns["length"][pair]), int(self.columns["offset"][pair])
            ids[row, :length] = self.columns["tokens"][self._begins[pair] : self._begins[pair] + length]
            mask[row, :length] = 1
            types[row, offset:length] = 1
        labels = {
            name: torch.from_numpy(self.columns[name][batch].astype(np.int64))
            for name in ("start", "end", "answerable", "relevance", "support")
        }
        arrays = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        return {name: torch.from_numpy(array) for name, array in arrays.items()} | labels


def compute_losses(outputs: tuple[Tensor, ...], batch: dict[str, Tensor]) -> dict[str, Tensor]:
    """Mean loss of each head over the pairs whose label is known; heads without any are left out."""
    span, answerable, relevance, support = (output.float() for output in outputs)
    losses: dict[str, Tensor] = {}
    spanned = batch["start"] != UNKNOWN
    if spanned.any() and (batch["support"] == UNKNOWN).any():
        # The answer stands in the passage or nowhere, which the first token stands for.
        allowed = (batch["token_type_ids"] == 1) & (batch["attention_mask"] == 1)
        allowed[:, 0] = True
        logits = span.masked_fill(~allowed[:, :, None], -1e4)[spanned]
        begin = functional.cross_entropy(logits[:, :, 0], batch["start"][spanned])
        losses["span"] = (begin + functional.cross_entropy(logits[:, :, 1], batch["end"][spanned])) / 2
    for name, logit in (("answerable", answerable), ("relevance", relevance)):
        known = batch[name] != UNKNOWN
        if known.any():
            losses[name] = functional.binary_cross_entropy_with_logits(logit[known], batch[name][known].float())
    known = batch["support"] != UNKNOWN
    if known.any():
        chances = functional.log_softmax(support[known], dim=-1)
        either = torch.logsumexp(chances[:, [REFUTED, NOT_SAID]], dim=-1, keepdim=True)
        chances = torch.cat([chances, either], dim=-1)
        losses["support"] = functional.nll_loss(chances, batch["support"][known])
    return losses


WEIGHTS = {"span": 1.0, "answerable": 0.5, "relevance": 0.25, "support": 1.0}
"""Of the heads in the sum of losses, by judgement."""


def measure(reader: Reader, pairs: Pairs, tokens: int, device: str) -> dict[str, float]:
    """Losses of the pairs held back, and how often each head is right."""
    sums: dict[str, list[float]] = {}
    reader.eval()
    with torch.no_grad():
        for batch in pairs.plan_batches(pairs.held, tokens, 0):
            given = {name: each.to(device) for name, each in pairs.collate(batch).items()}
            with torch.autocast(device, torch.bfloat16):
                outputs = reader(given["input_ids"], given["attention_mask"], given["token_type_ids"])
            for name, loss in compute_losses(outputs, given).items():
                sums.setdefault(name, []).append(loss.item())
            if (given["answerable"] != UNKNOWN).any():
                known = given["answerable"] != UNKNOWN
                right = (outputs[1][known] > 0) == (given["answerable"][known] == 1)
                sums.setdefault("answerable right", []).append(right.float().mean().item())
                spanned = given["start"] > 0
                if spanned.any():
                    found = outputs[0][spanned][:, 1:].argmax(1) + 1
                    exact = (found[:, 0] == given["start"][spanned]) & (found[:, 1] == given["end"][spanned])
                    sums.setdefault("span right", []).append(exact.float().mean().item())
            else:
                is_said = given["support"] == SUPPORT["supported"]
                right = (outputs[3].argmax(-1) == SUPPORT["supported"]) == is_said
                sums.setdefault("support right", []).append(right.float().mean().item())
    reader.train()
    return {name: round(float(np.mean(values)), 4) for name, values in sorted(sums.items())}


def train(reader: Reader, pairs: Pairs, plan: Plan, *, out: Path, device: str, every: int) -> None:
    """Train to the end of the plan, with a checkpoint every so many steps."""
    reader.to(device).train()
    reader.words.weight.requires_grad = False  # half of the weights, which 200,000 pairs hardly change
    body = [weight for name, weight in reader.named_parameters() if _is_encoder(name) and weight.requires_grad]
    heads = [weight for name, weight in reader.named_parameters() if not _is_encoder(name)]
    groups = [{"params": body, "lr": plan.rate}, {"params": heads, "lr": plan.head_rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=DECAY, fused=True)
    batches: list[Any] = []
    for number in range(int(np.ceil(plan.passes))):
        batches += pairs.plan_batches(pairs.trained, plan.tokens_a_batch, plan.seed + number)
    batches = batches[: round(len(batches) * plan.passes / np.ceil(plan.passes))]
    steps = len(batches)
    warm_up = max(1, round(steps * WARM_UP))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm_up, max(0.0, (steps - step) / (steps - warm_up)))
    )
    done = _resume(reader, optimizer, schedule, plan, out)
    recent: dict[str, list[float]] = {}
    begun = time.monotonic()
    for step in range(done, steps):
        batch = {name: each.to(device) for name, each in pairs.collate(batches[step]).items()}
        torch.manual_seed(plan.seed * 1_000_003 + step)  # the same dropout after a resume
        with torch.autocast(device, torch.bfloat16):
            outputs = reader(batch["input_ids"], batch["attention_mask"], batch["token_type_ids"])
        losses = compute_losses(outputs, batch)
        torch.stack([WEIGHTS[name] * loss for name, loss in losses.items()]).sum().backward()
        torch.nn.utils.clip_grad_norm_(body + heads, GRADIENT_NORM)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        for name, loss in losses.items():
            recent.setdefault(name, []).append(loss.item())
        if (step + 1) % 50 == 0 or step + 1 == steps:
            means = {name: round(float(np.mean(values)), 3) for name, values in sorted(recent.items())}
            pace = (time.monotonic() - begun) / (step + 1 - done)
            print(
                f"{step + 1}/{steps} {pace:.2f} s a step, {(steps - step - 1) * pace / 60:.0f} min left",
                means,
                flush=True,
            )
            recent.clear()
        if (step + 1) % every == 0 or step + 1 == steps:
            print(json.dumps({"step": step + 1} | measure(reader, pairs, plan.tokens_a_batch, device)), flush=True)
            state = {
                "reader": reader.state_dict(),
                "optimizer": optimizer.state_dict(),
                "schedule": schedule.state_dict(),
            }
            torch.save(state | {"step": step + 1, "plan": asdict(plan)}, out / "checkpoint.new")
            (out / "checkpoint.new").rename(out / "checkpoint.pt")


def _is_encoder(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in ("words", "positions", "types", "norm", "layers")


def _resume(reader: Reader, optimizer: Any, schedule: Any, plan: Plan, out: Path) -> int:
    """Load the last checkpoint of this plan. Returns the steps done."""
    path = out / "checkpoint.pt"
    if not path.exists():
        return 0
    state = torch.load(path, weights_only=True)
    if state["plan"] != asdict(plan):
        raise SystemExit(f"{path} was made with {state['plan']}, not {asdict(plan)}; give another --out")
    reader.load_state_dict(state["reader"])
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["schedule"])
    return int(state["step"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True, help="model.safetensors of all-MiniLM-L6-v2")
    parser.add_argument("--begin", type=Path, help="checkpoint of an earlier run, whose weights this one starts from")
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=4096, help="tokens a batch")
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--head-rate", type=float, default=6e-4)
    parser.add_argument("--passes", type=float, default=1.0)
    parser.add_argument("--every", type=int, default=300, help="steps between checkpoints")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    given.out.mkdir(parents=True, exist_ok=True)
    reader = Reader()
    load_encoder(reader, given.encoder)
    if given.begin:
        reader.load_state_dict(torch.load(given.begin, weights_only=True)["reader"])
    plan = Plan(given.tokens, given.rate, given.head_rate, given.passes, given.seed)
    train(reader, Pairs(given.pairs, given.seed), plan, out=given.out, device=given.device, every=given.every)


if __name__ == "__main__":
    main()
