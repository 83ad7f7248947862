#!/bin/bash
sort | tail -1
