"""Asks XLA's parser and printer (jaxlib), text by text: reads from standard input and answers on standard output until the input ends.

A request is the length of a text, four bytes, and the text. An answer is a letter, a length and that many bytes: A accepted, and what XLA
prints; R refused, and its message; C crashed, left the process, took too long or more memory than there is, with its
status or message.
"""
import os, resource, signal, struct

MEMORY, SECONDS = 6 << 30, 20


def read(n):
    data = b""
    while len(data) < n:
        more = os.read(0, n - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


def answer(letter, data):
    data = letter + struct.pack("<I", len(data)) + data
    while data:
        data = data[os.write(1, data):]


def serve(parse):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    while True:
        text = read(struct.unpack("<I", read(4))[0])
        signal.alarm(SECONDS)
        try:
            module = parse(text)
        except Exception as e:
            # of this process' memory: no verdict
            exhausted = "RESOURCE_EXHAUSTED" in str(e) or "std::bad_alloc" in str(e)
            answer(b"C" if exhausted else b"R", str(e).encode("utf-8", "surrogateescape"))
        else:
            try:
                answer(b"A", module.to_string().encode("utf-8", "surrogateescape"))
            except UnicodeDecodeError:
                answer(b"A", b"")  # the binding prints no bytes that are not UTF-8
        signal.alarm(0)


def main():
    from jaxlib import _hlo
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    while True:
        child = os.fork()  # XLA aborts on some texts: the next child goes on with the next text
        if child == 0:
            serve(lambda text: _hlo.hlo_module_from_text(text.decode("utf-8")))
        status = os.waitpid(child, 0)[1]
        if status == 0:  # the input has ended
            return
        answer(b"C", str(os.waitstatus_to_exitcode(status)).encode())


main()
