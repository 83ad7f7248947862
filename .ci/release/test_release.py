"""python3 -m unittest discover .ci/release"""

import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "python")]
import licences  # noqa: E402
import packages  # noqa: E402
import wheels  # noqa: E402

MIT = "MIT License\n\nPermission is hereby granted, free of charge,\nto any person obtaining a copy of this software"
BSD = "Redistribution and use in source and binary forms, with or without\nmodification, are permitted"


class Licences(unittest.TestCase):
    def test_texts_are_recognized(self):
        for want, text in {
            "MIT": MIT,
            "BSD-2-Clause": BSD,
            "BSD-3-Clause": BSD + "\n * Neither the name of Google Inc. nor the names of its\n",
            "Apache-2.0": "   Apache License\n   Version 2.0, January 2004",
            "ISC": "# Permission to use, copy, modify, and distribute this\n# software for any purpose",
            "GPL": "GNU AFFERO GENERAL PUBLIC LICENSE",
        }.items():
            self.assertEqual(licences.names(text), {want})
        self.assertEqual(licences.names(MIT + "\n" + BSD), {"MIT", "BSD-2-Clause"})
        self.assertEqual(licences.names("All rights reserved."), set())

    def test_modules_are_refused(self):
        for files, why in (
            ({"README": MIT}, "has no file with a licence"),
            ({"LICENSE": "All rights reserved."}, "no licence that is known"),
            ({"LICENSE": MIT, "inner/COPYING": "GNU General Public License, version 3"}, "inner/COPYING, which speaks of GPL"),
            ({"LICENSE": MIT, "inner/NOTICE": "by somebody"}, None),
        ):
            with self.subTest(why), tempfile.TemporaryDirectory() as name:
                root = pathlib.Path(name)
                (root / "inner").mkdir()
                for file, text in files.items():
                    (root / file).write_text(text)
                if why:
                    with self.assertRaisesRegex(licences.Refused, why):
                        licences.of("example.com/m", "v1.0.0", root, [root / "inner"])
                else:
                    module = licences.of("example.com/m", "v1.0.0", root, [root / "inner"])
                    self.assertEqual((module["licences"], sorted(module["texts"])), (["MIT"], ["LICENSE", "inner/NOTICE"]))
                    self.assertIn("by somebody", licences.document([module]))

    def test_every_module_of_the_program_has_an_allowed_licence(self):
        modules = licences.collect(["linux/amd64", "windows/amd64"])
        self.assertIn("github.com/inconshreveable/mousetrap", {m["path"] for m in modules}, "which Windows has alone")
        self.assertIn("SCOWL", {m["path"] for m in modules})
        self.assertTrue(all(m["licences"] and m["texts"] for m in modules))


class Versions(unittest.TestCase):
    def test_python_has_its_own_form(self):
        for release, want in {"v0.1.0": "0.1.0", "v1.2.3-rc.4": "1.2.3rc4", "v1.2.3-alpha.0": "1.2.3a0", "v10.0.0-beta.12": "10.0.0b12"}.items():
            self.assertEqual(wheels.python_version(release), want)
        for wrong in ("", "0.1.0", "v0.1", "v0.1.0-rc1", "v0.1.0+dirty", "v0.1.0\n"):
            with self.assertRaises(SystemExit):
                wheels.python_version(wrong)

    def test_the_chart_names_the_release(self):
        with tempfile.TemporaryDirectory() as name:
            packages.chart(pathlib.Path(name), "v1.2.3-rc.4")
            text = packages.output(["tar", "-xzOf", f"{name}/quintain-chart-1.2.3-rc.4.tgz", "quintain/Chart.yaml"]).decode()
        self.assertEqual(re.findall(r"(?m)^(?:version|appVersion): (.*)", text), ["1.2.3-rc.4", '"1.2.3-rc.4"'])

    def test_the_formula_names_every_archive_with_its_checksum(self):
        with tempfile.TemporaryDirectory() as name:
            out = pathlib.Path(name)
            packages.formula(out, "v1.2.3")
            self.assertFalse((out / "quintain.rb").exists())
            for platform in ("darwin_arm64", "darwin_amd64", "linux_arm64", "linux_amd64"):
                (out / f"quintain_1.2.3_{platform}.tar.gz").write_text(platform)
            packages.formula(out, "v1.2.3")
            text = (out / "quintain.rb").read_text()
        self.assertEqual(len(set(re.findall(r'sha256 "([0-9a-f]{64})"', text))), 4)
        self.assertNotRegex(text, "VERSION|SHA256")


if __name__ == "__main__":
    unittest.main()
