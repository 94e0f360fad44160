TEST = 0  # which of the five unit tests

message = [
    "abracadabra",
    "to be or not to be that is the question",
    "aaaaaaaabbbbccd",
    "ACGTACGTTTGACCAGATACCAGTTTTA",
    "0110100110010110 is the start of the Thue-Morse sequence",
][TEST]
with open("data/message.txt", "w", encoding="utf-8") as file:
    file.write(message)
