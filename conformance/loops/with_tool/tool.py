import verifiers.v1 as vf


class AdderToolset(vf.Toolset[vf.SharedToolsetConfig]):
    TOOL_PREFIX = "adder"

    @vf.tool
    def add(self, a: int, b: int) -> int:
        """Add two numbers."""
        return a + b


if __name__ == "__main__":
    AdderToolset.run()
