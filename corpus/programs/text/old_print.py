import sys

epochs = int(sys.argv[1])
for epoch in range(epochs):
    print "epoch %d" % epoch
