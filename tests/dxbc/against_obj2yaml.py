# SPDX-License-Identifier: MIT
"""Compares what gc-dxbc inspect --json and obj2yaml say of containers, field by field.

usage: against_obj2yaml.py GC_DXBC OBJ2YAML FILE...

Every scalar that obj2yaml prints has its counterpart here, or is counted as not compared.
Exit status 1 when something differs.
"""
import collections
import json
import subprocess
import sys

import yaml

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# obj2yaml's spelling -> ours, where they differ by more than case and underscores.
PSV_INFO = {
    "InputControlPointCount": "input_control_points",
    "OutputControlPointCount": "output_control_points",
    "MinimumWaveLaneCount": "min_wave_lanes",
    "MaximumWaveLaneCount": "max_wave_lanes",
    "OutputPositionPresent": "output_position",
    "OutputStreamMask": "output_streams",
    "SigInputVectors": "input_vectors",
    "GroupSharedBytesUsed": "group_shared_bytes",
    "GroupSharedBytesDependentOnViewID": "group_shared_view_id_bytes",
    "PayloadSizeInBytes": "payload_bytes",
    "MaxOutputVertices": "max_vertices",
    "MaxOutputPrimitives": "max_primitives",
    "SigPatchConstOrPrimVectors": "patch_vectors",
    "SigPrimVectors": "primitive_vectors",
    "NumThreadsX": "threads_x",
    "NumThreadsY": "threads_y",
    "NumThreadsZ": "threads_z",
}
FEATURES = {
    "ComputeShadersPlusRawAndStructuredBuffers": "ComputeShadersPlusRawAndStructuredBuffersViaShader4X",
    "Max64UAVs": "64UAVs",
    "DX11_1_DoubleExtensions": "11_1_DoubleExtensions",
    "DX11_1_ShaderExtensions": "11_1_ShaderExtensions",
    "SampleCmpWithGradientOrBias": "SampleCmpGradientOrBias",
}
STAGES = ["pixel", "vertex", "geometry", "hull", "domain", "compute", "library", "ray_generation", "intersection",
          "any_hit", "closest_hit", "miss", "callable", "mesh", "amplification", "node"]
FILTERS = {"MinMagMipPoint": 0, "MinMagMipLinear": 0x15, "Anisotropic": 0x55, "ComparisonMinMagMipLinear": 0x95,
           "ComparisonMinMagLinearMipPoint": 0x94, "MinMagLinearMipPoint": 0x14, "ComparisonMinMagMipPoint": 0x80,
           "MinMagPointMipLinear": 1}


def plain(text):
    return str(text).replace("_", "").replace("-", "").lower()


class Comparison:
    def __init__(self):
        self.where = ""
        self.same = self.different = 0
        self.fields = collections.Counter()
        self.skipped = collections.Counter()

    def equal(self, field, theirs, ours):
        self.fields[field] += 1
        if theirs == ours:
            self.same += 1
        else:
            self.different += 1
            print(f"FAIL: {self.where}: {field}: obj2yaml {theirs!r}, gc-dxbc {ours!r}")

    def names(self, field, theirs, ours):
        self.equal(field, plain(theirs), plain(ours))


def signature(c, theirs, ours):
    theirs, ours = theirs["Parameters"], ours["elements"]
    c.equal("signature elements", len(theirs), len(ours))
    for a, b in zip(theirs, ours):
        for key, mine in (("Stream", "stream"), ("Name", "name"), ("Index", "index"), ("Register", "register"),
                          ("Mask", "mask"), ("ExclusiveMask", "never_writes_mask")):
            c.equal("signature " + key, a[key], b[mine])
        for key, mine in (("SystemValue", "system_value"), ("CompType", "type"), ("MinPrecision", "precision")):
            c.names("signature " + key, a[key], {"FINAL_LINE_DETAIL_TESSFACTOR": "FinalLineDetailTessfactor"}.get(b[mine], b[mine]))


INTERPOLATION = ["undefined", "constant", "linear", "linearcentroid", "linearnoperspective", "linearnoperspectivecentroid",
                 "linearsample", "linearnoperspectivesample"]


def psv_element(c, theirs, ours, content):
    at, name = 0, ""
    for text in content["strings"]:
        if at <= ours["name_offset"] <= at + len(text.encode()):
            name = text.encode()[ours["name_offset"] - at:].decode()
            break
        at += len(text.encode()) + 1
    c.equal("PSV0 element Name", theirs["Name"] or "", name)
    first = ours["indexes_offset"]
    c.equal("PSV0 element Indices", theirs["Indices"], content["semantic_indexes"][first:first + ours["rows"]])
    for key, mine in (("StartRow", "start_row"), ("Cols", "columns"), ("StartCol", "start_column"), ("Stream", "stream")):
        c.equal("PSV0 element " + key, theirs[key], ours[mine])
    c.equal("PSV0 element Allocated", theirs["Allocated"], ours["allocated"] == 1)
    c.equal("PSV0 element DynamicMask", theirs["DynamicMask"], ours["dynamic_mask"])
    c.equal("PSV0 element Interpolation", plain(theirs["Interpolation"]), INTERPOLATION[ours["interpolation"]])
    c.names("PSV0 element Kind", theirs["Kind"], ours["semantic"])
    c.names("PSV0 element ComponentType", theirs["ComponentType"], ours["type"])


def psv(c, theirs, ours):
    info = ours["info"]
    for key, value in theirs.items():
        if key == "Version":
            # LLVM 22 takes version 4 for the newest it knows.
            c.equal("PSV0 Version", value, 3 if value == 3 and ours["version"] == 4 else ours["version"])
        elif key == "ShaderStage":
            c.equal("PSV0 ShaderStage", STAGES[value], info["stage"])
        elif key == "ResourceStride":
            if ours["resources"]:
                c.equal("PSV0 ResourceStride", value, ours["resource_bytes"])
        elif key == "Resources":
            c.equal("PSV0 resources", len(value), len(ours["resources"]))
            for a, b in zip(value, ours["resources"]):
                c.names("PSV0 resource Type", a["Type"], b["type"])
                c.equal("PSV0 resource Space", a["Space"], b["space"])
                c.equal("PSV0 resource bounds", (a["LowerBound"], a["UpperBound"]), (b["lower"], b["upper"]))
                if "Kind" in a:
                    c.names("PSV0 resource Kind", a["Kind"], b["kind"])
                    c.equal("PSV0 resource UsedByAtomic64", a["Flags"]["UsedByAtomic64"], "UsedByAtomic64" in b["flags"])
        elif key in ("SigInputElements", "SigOutputElements", "SigPatchOrPrimElements"):
            mine = ours.get({"SigInputElements": "inputs", "SigOutputElements": "outputs"}.get(key, "patch_constants"), [])
            c.equal("PSV0 " + key, len(value), len(mine))
            for a, b in zip(value, mine):
                psv_element(c, a, b, ours)
        elif key == "SigOutputVectors":
            c.equal("PSV0 SigOutputVectors", value,
                    [info["output_vectors"]] + [info[f"output_vectors_{i}"] for i in (1, 2, 3)])
        elif key == "InputOutputMap":
            mine = ours.get("input_outputs", [])
            if mine and not isinstance(mine[0], list):
                mine = [mine]
            flat = [word for stream in value for word in stream]
            c.equal("PSV0 InputOutputMap", flat, [word for stream in mine for word in stream])
        elif key in ("InputPatchMap", "PatchOutputMap"):
            mine = [ours[k] for k in ("input_patch_outputs", "patch_outputs") if k in ours]
            c.equal("PSV0 " + key, value, mine[0] if mine else [])
        elif key == "EntryName":
            text = "\0".join(ours["strings"])
            c.equal("PSV0 EntryName", value, text[info["entry_name_offset"]:].split("\0")[0])
        else:
            mine = PSV_INFO.get(key) or next((k for k in info if plain(k) == plain(key)), key)
            c.equal("PSV0 " + key, value, info.get(mine))


def root_flags(c, field, theirs, ours):
    """Names of flags that obj2yaml prints as members that are true."""
    c.equal(field, sorted(plain(k) for k, v in theirs.items() if v is True), sorted(plain(k) for k in ours))


def root_signature(c, theirs, ours):
    c.equal("RTS0 Version", theirs["Version"], ours["version"])
    c.equal("RTS0 RootParametersOffset", theirs["RootParametersOffset"], ours["parameters_offset"])
    c.equal("RTS0 StaticSamplersOffset", theirs["StaticSamplersOffset"], ours["samplers_offset"])
    root_flags(c, "RTS0 flags", theirs, ours["flags"])
    parameters = theirs.get("Parameters", [])
    c.equal("RTS0 NumRootParameters", theirs["NumRootParameters"], len(ours["parameters"]))
    c.equal("RTS0 parameters", len(parameters), len(ours["parameters"]))
    for a, b in zip(parameters, ours["parameters"]):
        c.names("RTS0 ParameterType", {"Constants32Bit": "32BIT_CONSTANTS"}.get(a["ParameterType"], a["ParameterType"]), b["type"])
        c.names("RTS0 ShaderVisibility", a["ShaderVisibility"], b["visibility"])
        if "Constants" in a:
            a = a["Constants"]
            c.equal("RTS0 constants", (a["Num32BitValues"], a["RegisterSpace"], a["ShaderRegister"]),
                    (b["constants"], b["space"], b["register"]))
        elif "Descriptor" in a:
            a = a["Descriptor"]
            c.equal("RTS0 descriptor", (a["RegisterSpace"], a["ShaderRegister"]), (b["space"], b["register"]))
            root_flags(c, "RTS0 descriptor flags", a, b.get("flags", []))
        else:
            a = a["Table"]
            c.equal("RTS0 RangesOffset", a["RangesOffset"], b["ranges_offset"])
            c.equal("RTS0 NumRanges", a["NumRanges"], len(b["ranges"]))
            for r, s in zip(a["Ranges"], b["ranges"]):
                c.names("RTS0 RangeType", {"CBuffer": "CBV"}.get(r["RangeType"], r["RangeType"]), s["type"])
                c.equal("RTS0 range", (r["NumDescriptors"] % 2**32, r["BaseShaderRegister"], r["RegisterSpace"],
                                       r["OffsetInDescriptorsFromTableStart"]),
                        (s["count"], s["register"], s["space"], s["offset_in_table"]))
                root_flags(c, "RTS0 range flags", r, s.get("flags", []))
    samplers = theirs.get("Samplers", [])
    c.equal("RTS0 samplers", theirs["NumStaticSamplers"], len(ours["samplers"]))
    for a, b in zip(samplers, ours["samplers"]):
        for key in ("AddressU", "AddressV", "AddressW"):
            c.names("RTS0 " + key, a[key], b["address_" + key[-1].lower()])
        c.names("RTS0 ComparisonFunc", a["ComparisonFunc"], b["comparison"])
        c.names("RTS0 BorderColor", a["BorderColor"], b["border_color"])
        c.names("RTS0 sampler ShaderVisibility", a["ShaderVisibility"], b["visibility"])
        c.equal("RTS0 sampler", (a["MaxAnisotropy"], a["ShaderRegister"], a["RegisterSpace"]),
                (b["max_anisotropy"], b["register"], b["space"]))
        for key, mine in (("MipLODBias", "mip_lod_bias"), ("MinLOD", "min_lod"), ("MaxLOD", "max_lod")):
            c.equal("RTS0 " + key, "%.6g" % a[key], "%.6g" % b[mine])
        if a["Filter"] in FILTERS:
            c.equal("RTS0 Filter", FILTERS[a["Filter"]], b["filter"])
        else:
            c.skipped["RTS0 Filter " + a["Filter"]] += 1


def features(c, theirs, ours):
    named = {plain(FEATURES.get(k, k)) for k, v in theirs.items() if v}
    c.equal("SFI0 flags", sorted(named), sorted(plain(k) for k in ours["features"]))


def program(c, theirs, ours):
    c.equal("DXIL model", (theirs["MajorVersion"], theirs["MinorVersion"]), (ours["major"], ours["minor"]))
    c.equal("DXIL ShaderKind", STAGES[theirs["ShaderKind"]], ours["kind"])
    c.equal("DXIL Size", theirs["Size"], ours["words"])
    c.equal("DXIL version", (theirs["DXILMajorVersion"], theirs["DXILMinorVersion"]), (ours["dxil_major"], ours["dxil_minor"]))
    c.equal("DXIL DXILSize", theirs["DXILSize"], ours["bitcode_bytes"])


def container(c, theirs, ours):
    header = theirs["Header"]
    c.equal("file size", header["FileSize"], ours["bytes"])
    c.equal("version", "%d.%d" % (header["Version"]["Major"], header["Version"]["Minor"]), ours["version"])
    c.equal("part count", header["PartCount"], len(ours["parts"]))
    # Theirs are of the part's header, ours of what is in it.
    c.equal("part offsets", [o + 8 for o in header["PartOffsets"]] if header["PartOffsets"][0] + 8 == ours["parts"][0]["offset"]
            else header["PartOffsets"], [p["offset"] for p in ours["parts"]])
    for a, b in zip(theirs["Parts"], ours["parts"]):
        c.equal("part", (a["Name"], a["Size"]), (b["fourcc"], b["bytes"]))
        content = b.get("content")
        if "Flags" in a:
            features(c, a["Flags"], content)
        if "Hash" in a:
            c.equal("HASH digest", "".join("%02x" % byte for byte in a["Hash"]["Digest"]), content["digest"])
            c.equal("HASH IncludesSource", a["Hash"]["IncludesSource"], bool(content["flags"]))
        if "Program" in a:
            program(c, a["Program"], content)
        if "PSVInfo" in a:
            psv(c, a["PSVInfo"], content)
        if "Signature" in a:
            signature(c, a["Signature"], content)
        if "RootSignature" in a:
            root_signature(c, a["RootSignature"], content)


def main():
    gc_dxbc, obj2yaml, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    c = Comparison()
    refused = []
    for file in files:
        theirs = subprocess.run([obj2yaml, file], capture_output=True)
        ours = subprocess.run([gc_dxbc, "inspect", "-w", "--json", file], capture_output=True)
        c.where = file.rsplit("/", 1)[-1]
        if ours.returncode:
            c.equal("inspect", 0, ours.returncode)
            continue
        ours = json.loads(ours.stdout)
        if theirs.returncode:
            # It refuses a PSV0 that is not aligned in the file.
            refused.append(c.where)
            continue
        container(c, yaml.load(theirs.stdout.replace(b"!dxcontainer", b"", 1), Loader), ours)
    print(f"{len(files)} containers: {c.same} values of {len(c.fields)} fields equal, {c.different} differ; "
          f"obj2yaml itself refuses {len(refused)}")
    for what, count in c.skipped.items():
        print(f"not compared: {what} ({count})")
    return c.different != 0


sys.exit(main())
