#!/usr/bin/env python3
"""Prints the control flow graph of an x86-64 ELF binary, with what each block reads and writes.

    pip install capstone==5.0.9 pyelftools==0.33
    tools/program_graph.py BINARY [PACKAGE VERSION] > data/program.txt

A line is a basic block: `b: gen kill s s ...`. `b` counts from 0 in the order of addresses, `gen`
and `kill` are sets in hexadecimal, `s` are the blocks that may run next. Each bit of a set stands
for a place that holds a value: see PLACES. `gen` has the places that the block may read before it
writes them, and `kill` has the places that it surely overwrites as a whole. A place is live at the
beginning of a block in two cases: it is in `gen`, or it is live at the end of the block and not in
`kill`. A place is live at the end of a block if it is live at the beginning of one of the block's
successors.

Where a fact is not known, the script assumes that a place is live:

- a call reads all places that may carry arguments, and overwrites the places that the System V ABI
  allows it to overwrite;
- a return reads all places that may carry results, and all places that the callee must restore;
- a jump through a register reads all places, unless the script has found the table of its targets;
- a write to a part of a place, or a write that may not happen, overwrites no place.

The functions are those of the unwind tables (.eh_frame). A jump from one function to another, such
as a tail call, is an edge like any other edge.
"""

import struct
import sys
from bisect import bisect_right

from capstone import CS_ARCH_X86, CS_GRP_CALL, CS_GRP_JUMP, CS_GRP_RET, CS_MODE_64, Cs
from capstone import x86_const as x86
from elftools.common.exceptions import ELFError
from elftools.dwarf.callframe import FDE
from elftools.elf.elffile import ELFFile

GENERAL = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"] + [f"r{i}" for i in range(8, 16)]
FLAGS = ["CF", "PF", "AF", "ZF", "SF", "OF", "DF"]
VECTOR = [f"xmm{i}" for i in range(16)]
# Bit i of a set stands for PLACES[i]. `x87` stands for the whole register stack of this unit, which no instruction overwrites completely.
PLACES = GENERAL + FLAGS + VECTOR + ["x87"]
BIT = {name: 1 << i for i, name in enumerate(PLACES)}


def places(names):
    return sum(BIT[name] for name in names)


EVERYTHING = places(PLACES)
ARITHMETIC_FLAGS = places(FLAGS[:-1])
# System V ABI, AMD64 supplement, figure 3.4.
CALL_READS = places(["rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax", "r10", "rsp", "DF", "x87"] + VECTOR[:8])
CALL_KILLS = places(["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"] + VECTOR) | ARITHMETIC_FLAGS
RETURN_READS = places(["rax", "rdx", "xmm0", "xmm1", "rbx", "rsp", "rbp", "r12", "r13", "r14", "r15", "DF", "x87"])

# Moves and zeroing instructions that write the whole of a vector register, independently of its old content.
WHOLE_VECTOR = {
    "movaps", "movups", "movapd", "movupd", "movdqa", "movdqu", "movd", "movq", "pshufd", "lddqu",
    "cvtps2pd", "cvtpd2ps", "cvtdq2ps", "cvtdq2pd", "cvttps2dq", "cvttpd2dq", "sqrtps", "sqrtpd",
}
ZERO_IF_SAME = {"xor", "sub", "pxor", "xorps", "xorpd"}
SHIFTS = {"shl", "sal", "shr", "sar", "rol", "ror", "rcl", "rcr", "shld", "shrd"}
STOPS = {"ud2", "hlt"}


def flag_masks(suffixes, kinds):
    table = {}
    for kind in kinds:
        for flag in suffixes:
            bit = getattr(x86, f"X86_EFLAGS_{kind}_{flag}", None)
            if bit is not None:
                table[bit] = BIT[flag]
    return table


FLAG_READS = flag_masks(FLAGS, ["TEST"])
FLAG_WRITES = flag_masks(FLAGS, ["MODIFY", "RESET", "SET", "UNDEFINED"])


class Names:
    """Returns the place that contains a register, and whether a write to the register overwrites the whole place."""

    def __init__(self, disassembler):
        self.name = disassembler.reg_name
        self.known = {}
        for i, wide in enumerate(GENERAL):
            base = wide[1:]
            if i < 4:
                middle, parts = "e" + base, [base, base[0] + "l", base[0] + "h"]
            elif i < 8:
                middle, parts = "e" + base, [base, base + "l"]
            else:
                middle, parts = wide + "d", [wide + "w", wide + "b"]
            self.known[wide] = (BIT[wide], True)
            self.known[middle] = (BIT[wide], True)  # clears the upper half
            for part in parts:
                self.known[part] = (BIT[wide], False)
        for name in VECTOR:
            self.known[name] = (BIT[name], False)  # see WHOLE_VECTOR
            self.known["y" + name[1:]] = (BIT[name], False)

    def __getitem__(self, register):
        name = self.name(register)
        if name in self.known:
            return self.known[name]
        if name.startswith("st") or name.startswith("mm") or name in ("fpsw", "fpcw"):
            return (BIT["x87"], False)
        return (0, False)  # rip, rflags (handled bit by bit), segments


def effect(insn, names):
    """Returns the places that the instruction reads, and the places that it surely overwrites."""
    mnemonic = insn.mnemonic.split()[-1]
    repeated = insn.prefix[0] in (x86.X86_PREFIX_REP, x86.X86_PREFIX_REPNE) and insn.opcode[0] in range(0xA4, 0xB0)
    operands = insn.operands
    read, written = insn.regs_access()
    gen = kill = 0
    for register in read:
        gen |= names[register][0]
    for register in written:
        place, whole = names[register]
        if whole:
            kill |= place
    flags_read = flags_written = 0
    # In floating-point instructions, this field describes the flags of the x87 unit.
    if not insn.group(x86.X86_GRP_FPU):
        for bit, place in FLAG_READS.items():
            flags_read |= place if insn.eflags & bit else 0
        for bit, place in FLAG_WRITES.items():
            flags_written |= place if insn.eflags & bit else 0
    if mnemonic in SHIFTS and not (operands[-1].type == x86.X86_OP_IMM and operands[-1].imm & 31):
        if len(operands) > 1:
            flags_written = 0  # a count of zero leaves the flags unchanged
    if repeated:
        kill, flags_written = 0, 0  # a count of zero does nothing
    if mnemonic.startswith("cmpxchg"):
        kill = 0  # the accumulator may keep its value
    gen |= flags_read
    kill |= flags_written
    if operands and operands[0].type == x86.X86_OP_REG:
        target, whole = names[operands[0].reg]
        same = len(operands) == 2 and operands[1].type == x86.X86_OP_REG and operands[1].reg == operands[0].reg
        vector = target & places(VECTOR)
        if mnemonic.startswith("cmov") or mnemonic in ("bsf", "bsr"):
            gen |= target  # the target may keep its value
        elif mnemonic in ZERO_IF_SAME and same and (whole or vector):
            gen &= ~target
            kill |= target
        elif vector:
            loads = mnemonic in ("movss", "movsd") and operands[1].type == x86.X86_OP_MEM
            if mnemonic in WHOLE_VECTOR or loads:
                # For some of these instructions, the disassembler claims that they read their target.
                if not (same or (operands[1].type == x86.X86_OP_REG and names[operands[1].reg][0] == target)):
                    gen &= ~target
                kill |= target
            else:
                gen |= target
    if mnemonic in ("syscall", "int", "cpuid", "xgetbv", "emms", "fxrstor", "ldmxcsr"):
        gen |= EVERYTHING
    return gen, kill


class Program:
    def __init__(self, path):
        try:
            self.elf = ELFFile(open(path, "rb"))
        except (OSError, ELFError) as error:
            raise SystemExit(f"{path}: {error}")
        if self.elf["e_machine"] != "EM_X86_64":
            raise SystemExit(f"{path}: this is no x86-64 binary")
        text = self.elf.get_section_by_name(".text")
        if text is None or self.elf.get_section_by_name(".eh_frame") is None:
            raise SystemExit(f"{path}: there is no .text or no .eh_frame")
        self.text, self.base = text.data(), text["sh_addr"]
        rodata = self.elf.get_section_by_name(".rodata")
        self.rodata, self.rodata_base = (rodata.data(), rodata["sh_addr"]) if rodata else (b"", 0)
        disassembler = Cs(CS_ARCH_X86, CS_MODE_64)
        disassembler.detail = True
        self.names = Names(disassembler)
        self.instructions = []
        self.function_of = {}
        for start, end in self.functions():
            code = self.text[start - self.base : end - self.base]
            for insn in disassembler.disasm(code, start):
                self.instructions.append(insn)
                self.function_of[insn.address] = (start, end)
        self.instructions.sort(key=lambda insn: insn.address)

    def functions(self):
        found = set()
        for entry in self.elf.get_dwarf_info().EH_CFI_entries():
            if isinstance(entry, FDE):
                start = entry.header.initial_location
                end = start + entry.header.address_range
                if self.base <= start < end <= self.base + len(self.text):
                    found.add((start, end))
        found = sorted(found)
        return [f for i, f in enumerate(found) if i == 0 or f[0] >= found[i - 1][1]]

    def tables(self):
        """Returns the addresses in .rodata that code refers to. A table ends before the next of these addresses."""
        taken = set()
        for insn in self.instructions:
            for operand in insn.operands:
                if operand.type == x86.X86_OP_MEM and operand.mem.base == x86.X86_REG_RIP:
                    taken.add(insn.address + insn.size + operand.mem.disp)
        return sorted(taken)

    def table_targets(self, index, taken):
        """Returns the targets of the indirect jump at that index, or None if they are not known. The targets are known if a compiler has
        made the jump for a table of 32-bit offsets: lea T, [rip + table]; ...; movsxd R, [T + I*4]; add R, T; jmp R."""
        instructions = self.instructions
        jump = instructions[index]
        if not jump.operands or jump.operands[0].type != x86.X86_OP_REG:
            return None
        target, table_register, table = jump.operands[0].reg, None, None
        start, end = self.function_of[jump.address]
        for insn in reversed(instructions[max(0, index - 40) : index]):
            if insn.address < start:
                break
            ops = insn.operands
            if table_register is None:
                if insn.mnemonic == "movsxd" and ops[0].reg == target and ops[1].type == x86.X86_OP_MEM:
                    if ops[1].mem.scale != 4 or ops[1].mem.base == x86.X86_REG_RIP:
                        return None
                    table_register = ops[1].mem.base
                continue
            if insn.mnemonic == "lea" and ops[0].reg == table_register:
                if ops[1].mem.base == x86.X86_REG_RIP:
                    table = insn.address + insn.size + ops[1].mem.disp
                break
        if table is None or not self.rodata_base <= table < self.rodata_base + len(self.rodata):
            return None
        after = bisect_right(taken, table)
        limit = taken[after] if after < len(taken) else self.rodata_base + len(self.rodata)
        limit = min(limit, self.rodata_base + len(self.rodata))
        targets = []
        for at in range(table, limit - 3, 4):
            (offset,) = struct.unpack_from("<i", self.rodata, at - self.rodata_base)
            if table + offset not in self.function_of:
                break
            targets.append(table + offset)
        return targets or None

    def blocks(self):
        """Returns (gen, kill, successors) of each block, in the order of addresses."""
        instructions, function_of = self.instructions, self.function_of
        taken = self.tables()
        leaders = {f[0] for f in function_of.values()}
        jumps = {}  # address of the last instruction of a block -> successors' addresses, or None for anywhere
        unknown = 0
        for i, insn in enumerate(instructions):
            follows = insn.address + insn.size
            if insn.group(CS_GRP_RET) or insn.mnemonic in STOPS:
                jumps[insn.address] = []
            elif insn.group(CS_GRP_JUMP):
                goes = [] if insn.mnemonic in ("jmp", "notrack jmp") else [follows]
                if insn.operands[0].type == x86.X86_OP_IMM:
                    goes.append(insn.operands[0].imm)
                else:
                    targets = self.table_targets(i, taken)
                    unknown += targets is None
                    goes = None if targets is None else goes + targets
                jumps[insn.address] = goes
            else:
                continue
            leaders.update(jumps[insn.address] or [])
            leaders.add(follows)
        starts = {insn.address for insn in instructions if insn.address in leaders}
        result, nops = [], set()
        for i, insn in enumerate(instructions):
            address, follows = insn.address, insn.address + insn.size
            if address in starts:
                first, gen, kill = address, 0, 0
            reads, kills = effect(insn, self.names)
            goes = jumps.get(address)
            if insn.group(CS_GRP_CALL):
                reads, kills = reads | CALL_READS, CALL_KILLS
            elif insn.group(CS_GRP_RET):
                reads |= RETURN_READS
            elif address in jumps and goes is None:
                reads |= EVERYTHING
            elif goes and any(to not in starts for to in goes):
                reads |= CALL_READS | RETURN_READS  # a tail call out of the program, or a jump to an address that is not code
            gen |= reads & ~kill
            kill |= kills
            last = i + 1 == len(instructions) or instructions[i + 1].address in starts
            if not last:
                continue
            if address not in jumps:
                goes = [follows] if i + 1 < len(instructions) and instructions[i + 1].address == follows else []
                # Only the code after a call that never returns falls through into the next function.
                goes = [to for to in goes if function_of[to] == function_of[address]]
            result.append((first, gen, kill, sorted({to for to in goes or [] if to in starts})))
            if first == address and insn.mnemonic == "nop":
                nops.add(address)
        entries = {f[0] for f in function_of.values()}
        reached = {to for _, _, _, goes in result for to in goes}
        # Padding before the head of a loop, which never runs.
        result = [block for block in result if block[0] in entries or block[0] in reached or block[0] not in nops]
        number = {block[0]: i for i, block in enumerate(result)}
        result = [(gen, kill, [number[to] for to in goes]) for _, gen, kill, goes in result]
        return result, len(entries), unknown


def main():
    if len(sys.argv) not in (2, 4):
        raise SystemExit(__doc__.split("\n\n")[1])
    program = Program(sys.argv[1])
    blocks, functions, unknown = program.blocks()
    edges = sum(len(successors) for _, _, successors in blocks)
    origin = f"{sys.argv[1].split('/')[-1]} of {' '.join(sys.argv[2:])}" if len(sys.argv) == 4 else sys.argv[1]
    print(f"# control flow graph of {origin}: {functions} functions, {len(blocks)} blocks, {edges} edges")
    print('# a line "b: gen kill s ..." is a block: bits read before written, bits overwritten, successors')
    print(f"# bits from the lowest: {' '.join(PLACES)}")
    for i, (gen, kill, successors) in enumerate(blocks):
        print(f"{i}: {gen:x} {kill:x}" + "".join(f" {s}" for s in successors))
    print(f"{unknown} jumps through registers or memory that go through no table (tail calls, as a rule)", file=sys.stderr)


main()
