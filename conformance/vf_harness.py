"""A harness of verifiers that asks its model once, in this process: the built-in ones install programs from the network."""

import httpx
import verifiers.v1 as vf
from verifiers.v1.runtimes import ProgramResult

__all__ = ["AskHarness"]


class AskConfig(vf.HarnessConfig):
    pass


class AskHarness(vf.Harness[AskConfig]):
    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data, tool_interception_url=None):
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        body = {"model": ctx.model, "messages": [*messages, {"role": "user", "content": prompt}]}
        async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
            reply = await client.post(f"{endpoint}/chat/completions", json=body, headers={"Authorization": f"Bearer {secret}"})
        return ProgramResult(0 if reply.is_success else 1, reply.text, "")
